//! Barriers in control flow that is not the same for the whole workgroup.
//!
//! A small version of WGSL's uniformity analysis, on the safe side: what may differ between invocations is
//! followed from the built-ins, writable memory, atomics and lanes through values, variables, calls and branches.

use std::collections::{BTreeSet, HashMap};

use naga::{
    AddressSpace, Binding, Block, BuiltIn, EntryPoint, Expression, Function, Handle, LocalVariable, Module,
    Statement, StorageAccess,
};

/// Every function with a barrier that some invocations may not reach.
pub fn lonely_barriers(module: &Module, entry: &EntryPoint) -> Vec<String> {
    // In a compute shader the size of a subgroup is uniform, too, by WGSL's rules; Tint holds the kernels to them.
    let varies = |binding: &Option<Binding>| {
        !matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::WorkGroupId
                    | BuiltIn::NumWorkGroups
                    | BuiltIn::NumSubgroups
                    | BuiltIn::SubgroupSize
                    | BuiltIn::WorkGroupSize
            ))
        )
    };
    let arguments = entry.function.arguments.iter().map(|argument| varies(&argument.binding)).collect();
    let mut known = Known::default();
    Analysis::new(module, &entry.function, arguments, &mut known).run(false);
    let found = known.found.into_iter();
    found.map(|function| format!("`{function}` has a barrier that not every invocation reaches")).collect()
}

/// Invocations that may be missing from here on, because some of them …
#[derive(Clone, Copy, Default, PartialEq)]
struct Gone {
    /// … left the loop, or this turn of it.
    turn: bool,
    /// … left the function.
    function: bool,
}

impl Gone {
    fn any(self) -> bool {
        self.turn || self.function
    }

    fn or(self, other: Gone) -> Gone {
        Gone { turn: self.turn || other.turn, function: self.function || other.function }
    }
}

/// Facts about a module's functions.
#[derive(Default)]
struct Known {
    /// Functions with a barrier that some invocations may not reach.
    found: BTreeSet<String>,
    /// True for a function whose result varies, by the arguments that do and whether some invocations may be
    /// elsewhere. Without it functions would be gone through again for each way to call them.
    results: HashMap<(Handle<Function>, Vec<bool>, bool), bool>,
}

/// One function, for one answer to which of its arguments vary.
struct Analysis<'a> {
    module: &'a Module,
    function: &'a Function,
    arguments: Vec<bool>,
    variables: HashMap<Handle<LocalVariable>, bool>,
    calls: HashMap<Handle<Expression>, bool>,
    result: bool,
    known: &'a mut Known,
}

impl<'a> Analysis<'a> {
    fn new(module: &'a Module, function: &'a Function, arguments: Vec<bool>, known: &'a mut Known) -> Self {
        let (variables, calls) = (HashMap::new(), HashMap::new());
        Analysis { module, function, arguments, variables, calls, result: false, known }
    }

    /// Goes through the body until nothing new varies; returns whether the result does.
    fn run(mut self, alone: bool) -> bool {
        let function = self.function;
        loop {
            let before = (self.variables.clone(), self.calls.clone());
            self.block(&function.body, alone);
            if (&before.0, &before.1) == (&self.variables, &self.calls) {
                return self.result;
            }
        }
    }

    /// `alone` says that some invocations may be elsewhere.
    fn block(&mut self, block: &Block, alone: bool) -> Gone {
        let mut gone = Gone::default();
        for statement in block {
            gone = gone.or(self.statement(statement, alone || gone.any()));
        }
        gone
    }

    fn statement(&mut self, statement: &Statement, alone: bool) -> Gone {
        match statement {
            Statement::Block(block) => return self.block(block, alone),
            Statement::If { condition, accept, reject } => {
                let inside = alone || self.varies(*condition);
                return self.block(accept, inside).or(self.block(reject, inside));
            }
            Statement::Switch { selector, cases } => {
                let inside = alone || self.varies(*selector);
                let cases = cases.iter().map(|case| self.block(&case.body, inside));
                return cases.fold(Gone::default(), Gone::or);
            }
            Statement::Loop { body, continuing, break_if } => {
                return self.turns(body, continuing, *break_if, alone);
            }
            Statement::Break | Statement::Continue => return Gone { turn: alone, function: false },
            Statement::Return { value } => {
                self.result |= alone || value.is_some_and(|value| self.varies(value));
                return Gone { turn: false, function: alone };
            }
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } if alone => {
                self.known.found.insert(self.function.name.clone().unwrap_or_default());
            }
            Statement::Store { pointer, value } => {
                if let Some(variable) = self.local(*pointer) {
                    let varies = alone || self.varies(*value) || self.varies(*pointer);
                    *self.variables.entry(variable).or_default() |= varies;
                }
            }
            Statement::Call { function, arguments, result } => {
                let varying: Vec<_> = arguments.iter().map(|argument| self.varies(*argument)).collect();
                let call = (*function, varying.clone(), alone);
                let varies = self.known.results.get(&call).copied().unwrap_or_else(|| {
                    let called = &self.module.functions[*function];
                    let varies = Analysis::new(self.module, called, varying, self.known).run(alone);
                    self.known.results.insert(call, varies);
                    varies
                });
                if let Some(result) = result {
                    *self.calls.entry(*result).or_default() |= varies;
                }
                // The function may write to variables that it is given pointers to.
                for argument in arguments {
                    self.variables.extend(self.local(*argument).map(|variable| (variable, true)));
                }
            }
            _ => {}
        }
        Gone::default()
    }

    fn turns(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        alone: bool,
    ) -> Gone {
        // An invocation that leaves in one turn is missing in the next: a second look at the same body.
        let mut gone = Gone::default();
        for _ in 0..2 {
            let inside = alone || gone.any();
            gone = gone.or(self.block(body, inside));
            gone = gone.or(self.block(continuing, inside || gone.any()));
            gone.turn |= break_if.is_some_and(|condition| self.varies(condition));
        }
        Gone { turn: false, ..gone }
    }

    /// The variable that a pointer leads into.
    fn local(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.local(base),
            _ => None,
        }
    }

    /// Returns true if a value may differ between the invocations of a workgroup.
    fn varies(&self, expression: Handle<Expression>) -> bool {
        use Expression as E;
        let varies = |expression: Handle<Expression>| self.varies(expression);
        match &self.function.expressions[expression] {
            E::Literal(_) | E::Constant(_) | E::Override(_) | E::ZeroValue(_) | E::ArrayLength(_) => false,
            E::GlobalVariable(_) | E::LocalVariable(_) | E::WorkGroupUniformLoadResult { .. } => false,
            E::FunctionArgument(index) => self.arguments[*index as usize],
            E::CallResult(_) => self.calls.get(&expression).copied().unwrap_or(false),
            E::Load { pointer } => varies(*pointer) || self.contents_vary(*pointer),
            E::Access { base, index } => varies(*base) || varies(*index),
            E::AccessIndex { base, .. } => varies(*base),
            E::Splat { value, .. } | E::Swizzle { vector: value, .. } => varies(*value),
            E::Unary { expr, .. } | E::As { expr, .. } => varies(*expr),
            E::Binary { left, right, .. } => varies(*left) || varies(*right),
            E::Select { condition, accept, reject } => {
                varies(*condition) || varies(*accept) || varies(*reject)
            }
            E::Compose { components, .. } => components.iter().any(|part| varies(*part)),
            E::Relational { argument, .. } => varies(*argument),
            E::Math { arg, arg1, arg2, arg3, .. } => {
                varies(*arg) || [arg1, arg2, arg3].into_iter().flatten().any(|argument| varies(*argument))
            }
            // Atomics, lanes, and whatever a kernel has no use for yet.
            _ => true,
        }
    }

    /// Returns true if the value at a pointer may differ, although all invocations look at the same place.
    fn contents_vary(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.contents_vary(base)
            }
            Expression::LocalVariable(variable) => self.variables.get(&variable).copied().unwrap_or(false),
            Expression::GlobalVariable(variable) => match self.module.global_variables[variable].space {
                AddressSpace::Uniform => false,
                AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
                _ => true,
            },
            _ => true,
        }
    }
}
