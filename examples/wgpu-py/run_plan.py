#!/usr/bin/env python3
"""Runs a plan of halofold with Python's wgpu:

    pip install wgpu numpy
    halofold export mean --n 1000000 -o mean.json
    python run_plan.py mean.json values.npy

Inputs are NumPy files in the order of the plan's `inputs`. Prints each output, or writes NAME.npy for each with --save.
docs/plan.md describes plans. A plan is for the number of elements that it was made for.
"""

import argparse
import json
import pathlib

import numpy as np
import wgpu

TYPES = {"u32": "u4", "i32": "i4", "f32": "f4", "f16": "f2", "u64": "u8", "i64": "i8", "f64": "f8"}
ACCESS = {
    "uniform": wgpu.BufferBindingType.uniform,
    "storage": wgpu.BufferBindingType.storage,
    "read-only-storage": wgpu.BufferBindingType.read_only_storage,
}
USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_DST | wgpu.BufferUsage.COPY_SRC
OWN_USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST


class Bound:
    """The dispatches of a plan with their buffers, ready to be recorded any number of times."""

    def __init__(self, device, plan, inputs, outputs):
        self.label = plan["label"]
        own = [self.filled(device, **buffer) for buffer in plan["buffers"]]
        self.buffers = {"input": inputs, "output": outputs, "buffer": own}
        modules = [device.create_shader_module(code=code) for code in plan["modules"]]
        pipelines = [self.compile(device, modules, pipeline) for pipeline in plan["pipelines"]]
        self.dispatches = [self.bind(device, pipelines, dispatch) for dispatch in plan["dispatches"]]

    @staticmethod
    def filled(device, size, words):
        """A buffer that begins with some words; the others are 0."""
        buffer = device.create_buffer(size=size, usage=OWN_USAGE)
        if words:
            device.queue.write_buffer(buffer, 0, np.array(words, "u4"))
        return buffer

    @staticmethod
    def compile(device, modules, pipeline):
        entries = [
            {"binding": binding, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": ACCESS[access]}}
            for binding, access in pipeline["bindings"]
        ]
        layout = device.create_bind_group_layout(entries=entries)
        stage = {
            "module": modules[pipeline["module"]],
            "entry_point": pipeline["entry"],
            "constants": pipeline["constants"],
        }
        whole = device.create_pipeline_layout(bind_group_layouts=[layout])
        return device.create_compute_pipeline(label=pipeline["label"], layout=whole, compute=stage), layout

    def bind(self, device, pipelines, dispatch):
        pipeline, layout = pipelines[dispatch["pipeline"]]
        entries = []
        for part in dispatch["bindings"]:
            buffer = self.buffers[part["of"]][part["index"]]
            size = buffer.size - part["offset"] if part["size"] is None else part["size"]
            resource = {"buffer": buffer, "offset": part["offset"], "size": size}
            entries.append({"binding": part["binding"], "resource": resource})
        return pipeline, device.create_bind_group(layout=layout, entries=entries), dispatch["workgroups"]

    def encode(self, encoder):
        """Records a compute pass."""
        compute = encoder.begin_compute_pass(label=self.label)
        for pipeline, group, (x, y) in self.dispatches:
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, group)
            compute.dispatch_workgroups(x, y)
        compute.end()


def run(device, plan, arrays):
    """The outputs of a plan, by their names."""
    if plan["halofold"] != 1:
        raise SystemExit(f"the plan has version {plan['halofold']}: this program runs version 1")
    if len(arrays) != len(plan["inputs"]):
        raise SystemExit(f"{len(arrays)} inputs: the plan has {', '.join(plan['inputs'])}")
    inputs = [device.create_buffer_with_data(data=array, usage=USAGE) for array in arrays]
    outputs = [device.create_buffer(size=max(output["size"], 16), usage=USAGE) for output in plan["outputs"]]
    bound = Bound(device, plan, inputs, outputs)
    encoder = device.create_command_encoder()
    bound.encode(encoder)
    device.queue.submit([encoder.finish()])
    results = {}
    for output, buffer in zip(plan["outputs"], outputs):
        fields = ",".join(TYPES[field] for field in output["fields"])
        bytes_read = device.queue.read_buffer(buffer)[: output["size"]]
        results[output["name"]] = np.frombuffer(bytes_read, np.dtype(fields, align=True))
    return results


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("plan", type=pathlib.Path)
    options.add_argument("inputs", type=pathlib.Path, nargs="*")
    options.add_argument("--save", action="store_true")
    args = options.parse_args()
    device = wgpu.gpu.request_adapter_sync(power_preference="high-performance").request_device_sync()
    arrays = [np.ascontiguousarray(np.load(path)) for path in args.inputs]
    for name, values in run(device, json.loads(args.plan.read_text()), arrays).items():
        if args.save:
            np.save(f"{name}.npy", values)
        print(name, values)


if __name__ == "__main__":
    main()
