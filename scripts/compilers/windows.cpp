// Gives HLSL to Microsoft's two compilers, with the options that wgpu-hal 30 gives them. A program for Windows, which Wine runs:
//
//   x86_64-w64-mingw32-g++-posix -O1 -static -municode windows.cpp -o windows.exe
//   wine windows.exe LIST, with dxcompiler.dll (DXC) and d3dcompiler_47.dll (FXC) beside it
//
// LIST has a line for each kernel: FILE, a tab, ENTRY, a tab, PROFILE (cs_5_1 for FXC, cs_6_6 for DXC), a tab, LABEL (the label of the
// module, which wgpu-hal gives as the name of the source), and where the kernel has 16-bit types a tab and "halves". Answers a line for
// each: "ok" or "error", a tab, and what the compiler said with | for ends of lines.
#include <windows.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

// What is used of dxcapi.h, which MinGW lacks: interfaces by the order of their functions, and who they are.
struct DxcBuffer {
    const void *data;
    SIZE_T size;
    UINT encoding;
};
struct Blob : IUnknown {
    virtual void *STDMETHODCALLTYPE GetBufferPointer() = 0;
    virtual SIZE_T STDMETHODCALLTYPE GetBufferSize() = 0;
};
struct DxcOperationResult : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE GetStatus(HRESULT *) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetResult(Blob **) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetErrorBuffer(Blob **) = 0;
};
struct DxcCompiler3 : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE Compile(const DxcBuffer *, const wchar_t **, UINT32, IUnknown *, REFIID, void **) = 0;
};
static const GUID CLSID_Compiler = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const GUID IID_Compiler3 = {0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
static const GUID IID_OperationResult = {0xcedb484a, 0xd4e9, 0x445a, {0xb9, 0x91, 0xca, 0x21, 0xca, 0x15, 0x7d, 0xc2}};
static const UINT UTF8 = 65001, ENABLE_STRICTNESS = 1 << 11;

using DxcCreateInstanceFn = HRESULT(WINAPI *)(REFGUID, REFGUID, void **);
using D3DCompileFn = HRESULT(WINAPI *)(const void *, SIZE_T, const char *, const void *, void *, const char *, const char *, UINT, UINT, Blob **, Blob **);

template <class Fn> Fn load(const char *library, const char *name) {
    HMODULE module = LoadLibraryA(library);
    FARPROC found = module ? GetProcAddress(module, name) : nullptr;
    if (!found) {
        std::cerr << "no " << name << " in " << library << std::endl;
        std::exit(2);
    }
    return reinterpret_cast<Fn>(reinterpret_cast<void *>(found));
}

struct Answer {
    HRESULT status;
    std::string said;
};

// The text of a blob, which is freed.
static std::string take(Blob *blob) {
    if (!blob) return "";
    std::string text(static_cast<const char *>(blob->GetBufferPointer()), blob->GetBufferSize());
    blob->Release();
    std::string line;
    for (char c : text) {
        if (c == '\n') line += '|';
        else if (c >= ' ') line += c;
    }
    return line;
}

static Answer by_fxc(D3DCompileFn compile, const std::string &source, const std::string &entry, const std::string &profile, const std::string &label) {
    Blob *code = nullptr, *errors = nullptr;
    HRESULT status = compile(source.data(), source.size(), label.c_str(), nullptr, nullptr, entry.c_str(), profile.c_str(), ENABLE_STRICTNESS, 0, &code, &errors);
    if (code) code->Release();
    return {status, take(errors)};
}

static Answer by_dxc(DxcCompiler3 *compiler, const std::string &source, const std::string &entry, const std::string &profile, const std::string &label, bool halves) {
    std::wstring wide_entry(entry.begin(), entry.end()), wide_profile(profile.begin(), profile.end()), wide_label(label.begin(), label.end());
    std::vector<const wchar_t *> options = {wide_label.c_str(), L"-E", wide_entry.c_str(), L"-T", wide_profile.c_str(), L"-HV", L"2018", L"-no-warnings", L"-Ges"};
    if (halves) options.push_back(L"-enable-16bit-types");
    DxcBuffer buffer = {source.data(), source.size(), UTF8};
    DxcOperationResult *result = nullptr;
    HRESULT status = compiler->Compile(&buffer, options.data(), options.size(), nullptr, IID_OperationResult, reinterpret_cast<void **>(&result));
    if (FAILED(status) || !result) return {E_FAIL, "the compiler itself fails"};
    result->GetStatus(&status);
    Blob *errors = nullptr;
    result->GetErrorBuffer(&errors);
    result->Release();
    return {status, take(errors)};
}

int wmain(int count, wchar_t **arguments) {
    if (count != 2) {
        std::cerr << "usage: windows LIST" << std::endl;
        return 2;
    }
    auto create = load<DxcCreateInstanceFn>("dxcompiler.dll", "DxcCreateInstance");
    auto fxc = load<D3DCompileFn>("d3dcompiler_47.dll", "D3DCompile");
    DxcCompiler3 *dxc = nullptr;
    if (FAILED(create(CLSID_Compiler, IID_Compiler3, reinterpret_cast<void **>(&dxc)))) return 2;
    const std::wstring wide(arguments[1]);
    std::ifstream list(std::string(wide.begin(), wide.end()));
    for (std::string line; std::getline(list, line);) {
        std::istringstream fields(line);
        std::string file, entry, profile, label, halves;
        std::getline(fields, file, '\t');
        std::getline(fields, entry, '\t');
        std::getline(fields, profile, '\t');
        std::getline(fields, label, '\t');
        std::getline(fields, halves, '\t');
        std::ifstream opened(file, std::ios::binary);
        std::stringstream source;
        source << opened.rdbuf();
        const bool old = profile == "cs_5_1";
        const Answer answer = old ? by_fxc(fxc, source.str(), entry, profile, label) : by_dxc(dxc, source.str(), entry, profile, label, !halves.empty());
        std::cout << (SUCCEEDED(answer.status) ? "ok" : "error") << '\t' << answer.said << std::endl;
    }
    return 0;
}
