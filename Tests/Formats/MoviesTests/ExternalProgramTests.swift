import CaptureTestSupport
import Glibc
import Movies
import PosixSupport
import Testing

/// Programs that this machine is asked to run.
@Suite(.timeLimit(.minutes(10))) struct ExternalProgramTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a program that is not there is found, or one that is there is not`() throws {
        _ = try script("there", "exit 0")
        _ = try folder.write(Array("no program".utf8), as: "text")
        #expect(ExternalProgram.find("there", in: "/nowhere:\(folder.path)")?.name == "there")
        for name in ["elsewhere", "text"] { #expect(ExternalProgram.find(name, in: "/nowhere:\(folder.path)") == nil) }
        #expect(ExternalProgram.find("there", in: "") == nil)
        #expect(ExternalProgram.find("sh") != nil)
    }

    @Test func `arguments are interpreted by a shell, or the program takes processors from cameras`() async throws {
        let program = try script("say", "printf '%s\\n' \"$@\" > \(folder.path)/said; nice >> \(folder.path)/said")
        try await program.run(["a b", "$HOME; *", "-n"], limit: .seconds(300))
        let said = String(decoding: try folder.read("said"), as: UTF8.self)
        #expect(said == "a b\n$HOME; *\n-n\n10\n")
    }

    @Test func `a program that fails is taken for one that did its work, or does not say why`() async throws {
        let program = try script("fail", "echo one >&2; echo the disk is odd >&2; exit 3")
        let error = await #expect(throws: ExternalProgramError.self) { try await program.run([], limit: .seconds(300)) }
        #expect(error?.code == .failed)
        #expect(error?.description == "the program 'fail' ended with status 3: one; the disk is odd")
        let silent = try script("silent", "kill -TERM $$")
        let end = await #expect(throws: ExternalProgramError.self) { try await silent.run([], limit: .seconds(300)) }
        #expect(end?.code == .failed)
    }

    @Test func `A program reads a file without a name from its beginning, and writes into another one`() async throws {
        let files = try Folder(opening: folder.path)
        let (input, output) = (try files.createUnnamed(), try files.createUnnamed())
        try input.write(Array("some words".utf8))
        let program = try script("copy", "cat \(ExternalProgram.inputPath) > \(ExternalProgram.outputPath)")
        try await program.run([], reading: input, writing: output, limit: .seconds(300))
        #expect(try output.read(at: 0, count: 100) == Array("some words".utf8))
    }

    @Test func `A program that writes more than its file may have is ended, and the file has no more`() async throws {
        let output = try Folder(opening: folder.path).createUnnamed()
        let program = try script("write", "exec head -c 5000 /dev/zero")
        try await program.run([], writing: output, byteLimit: 5000, limit: .seconds(300))
        #expect(try output.byteCount() == 5000)
        let small = try Folder(opening: folder.path).createUnnamed()
        let error = await #expect(throws: ExternalProgramError.self) {
            try await program.run([], writing: small, byteLimit: 4999, limit: .seconds(300))
        }
        #expect(error?.code == .failed && error?.cause.contains("more than 4999 bytes") == true, "\(error as Any)")
        #expect(try small.byteCount() <= 4999)
    }

    @Test func `a program that hangs is waited for without end`() async throws {
        let program = try script("hang", "tail -f /dev/null")
        let error = await #expect(throws: ExternalProgramError.self) {
            try await program.run([], limit: .milliseconds(300))
        }
        #expect(error?.code == .killed && error?.cause.contains("longer than 1 s") == true)
    }

    @Test func `a program goes on after nobody waits for it, or what it started does`() async throws {
        let pipe = folder.path + "/began"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let program = try script("work", "tail -f /dev/null & echo $! > \(pipe); wait")
        let running = Task { try await program.run([], limit: .seconds(500)) }
        let child = try #require(
            Int32(try ExternalTool.run("cat", pipe).output.prefix(while: \.isNumber)))
        running.cancel()
        let error = await #expect(throws: ExternalProgramError.self) { try await running.value }
        #expect(error?.code == .cancelled)
        // It is this machine's first process that takes it over, which may take its time to bury it. The signal was sent, and ends it
        // when it next has a processor.
        let state = "cut -d' ' -f3 /proc/\(child)/stat 2>/dev/null || echo gone"
        let outcome = try ExternalTool.run(
            "timeout", "300", "sh", "-c", "until { \(state); } | grep -E '^(Z|X|gone)$'; do :; done")
        #expect(["Z\n", "X\n", "gone\n"].contains(outcome.output), "\(outcome.output)")
    }

    @Test func `a program goes on after the process that started it was killed`() async throws {
        let (began, alive) = (folder.path + "/began", folder.path + "/alive")
        for pipe in [began, alive] { try #require(unsafe mkfifo(pipe, 0o600) == 0) }
        // What the program has started holds the pipe open, as the program does.
        _ = try script("work", "exec 9> \(alive); tail -f /dev/null & echo > \(began); wait")
        let descriptor = unsafe open(alive, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(descriptor) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String, began = began as String] in
            let program = try #require(ExternalProgram.find("work", in: path))
            let running = Task { try await program.run([], limit: .seconds(500)) }
            _ = try ExternalTool.run("cat", began)
            kill(getpid(), SIGKILL)
            try await running.value
        }
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        #expect(unsafe poll(&state, 1, 300_000) == 1, "5 min later the program still runs")
        #expect(Int32(state.revents) & POLLHUP != 0)
    }

    private func script(_ name: String, _ body: String) throws -> ExternalProgram {
        let path = try folder.write(Array("#!/bin/sh\n\(body)\n".utf8), as: name)
        try #require(unsafe chmod(path, 0o755) == 0)
        return try #require(ExternalProgram.find(name, in: folder.path))
    }
}
