import Glibc
import PosixSupport
import Testing

@testable import ChildPrograms

@Suite(.timeLimit(.minutes(10))) struct ChildProgramTests {
    /// Reads an output to its end.
    private func all(_ output: ChildProgram.Output, of program: ChildProgram) throws -> String {
        let signal = try EventFlag()
        var bytes: [UInt8] = []
        while try program.read(output, to: &bytes, limit: 100) != .end {
            _ = try program.wait(for: [output], or: signal)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func shell(_ script: String, _ outputs: [ChildProgram.Output]) throws -> ChildProgram {
        try ChildProgram(["sh", "-c", script], outputs: outputs)
    }

    @Test func `each output has what the program wrote to it, and the status is the program's`() throws {
        let program = try shell(
            "echo one; echo two >&2; echo three >&3; exit 4", [.standardOutput, .standardError, .third])
        #expect(try all(.standardOutput, of: program) == "one\n")
        #expect(try all(.standardError, of: program) == "two\n")
        #expect(try all(.third, of: program) == "three\n")
        #expect(program.ended(within: .seconds(600)) == .exited(status: 4))
    }

    @Test func `a program has no file of this process, an empty input, and signals as at its start`() throws {
        let file = try OpenFile(opening: "/dev/null")
        let program = try shell(
            "ls -l /proc/self/fd | wc -l; read line || echo end; exec cat /proc/self/status", [.standardOutput])
        let text = try all(.standardOutput, of: program)
        withExtendedLifetime(file) {}
        let lines = text.split(separator: "\n")
        // A line for the total, the three standard ones and that of the folder.
        #expect(lines.first.map { $0.trimmed } == "5" && lines.dropFirst().first == "end")
        // Signal 13, which this process ignores when it writes to a socket that its peer has closed.
        let ignored = lines.first { $0.hasPrefix("SigIgn:") }.flatMap {
            UInt64($0.split(separator: "\t")[1], radix: 16)
        }
        #expect(text.contains("SigBlk:\t0000000000000000") && ignored.map { $0 & 1 << 12 } == 0)
    }

    @Test func `a program reads what is written to it, and the end when its input is closed`() throws {
        let program = try ChildProgram(
            ["sh", "-c", "cat; echo end; cat >&2"], outputs: [.standardOutput], takesInput: true)
        try program.write(Array("one\n".utf8))
        try program.write([])
        try program.write(Array("two\n".utf8))
        program.closeInput()
        #expect(try all(.standardOutput, of: program) == "one\ntwo\nend\n")
        #expect(throws: PosixError.self) { try program.write([1]) }
        #expect(program.ended(within: .seconds(600)) == .exited(status: 0))
    }

    @Test func `writing to a program that does not read, or has ended, fails at once`() throws {
        let deaf = try ChildProgram(["sleep", "1000"], outputs: [], takesInput: true)
        let full = #expect(throws: PosixError.self) { try deaf.write([UInt8](repeating: 1, count: 16 << 20)) }
        #expect(full?.code == EAGAIN)
        _ = deaf.end(within: .zero)
        // As threads that write to programs do.
        _ = signal(SIGPIPE, SIG_IGN)
        let gone = #expect(throws: PosixError.self) { try deaf.write([1]) }
        #expect(gone?.code == EPIPE)
    }

    @Test func `a program that is not there or may not be run is told by its name`() throws {
        let missing = #expect(throws: PosixError.self) { try ChildProgram(["no-such-program"], outputs: []) }
        #expect(missing?.code == ENOENT && missing?.description.contains("no-such-program") == true)
        let forbidden = #expect(throws: PosixError.self) { try ChildProgram(["/etc/passwd"], outputs: []) }
        #expect(forbidden?.code == EACCES)
        #expect(throws: PosixError.self) { try ProgramPath.find("no-such-program") }
        #expect(try ProgramPath.find("sh").hasSuffix("/sh"))
    }

    @Test func `ending asks first, and kills a program that does not end`() throws {
        let polite = try shell("trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done", [.standardOutput])
        var bytes: [UInt8] = []
        let signal = try EventFlag()
        _ = try polite.wait(for: [.standardOutput], or: signal)
        #expect(try polite.read(.standardOutput, to: &bytes, limit: 100) == .bytes(6))
        #expect(polite.end(within: .seconds(600)) == .exited(status: 9))
        let stubborn = try shell("trap '' TERM; echo ready; while :; do sleep 0.01; done", [.standardOutput])
        _ = try stubborn.wait(for: [.standardOutput], or: signal)
        #expect(stubborn.end(within: .milliseconds(50)) == .signaled(SIGKILL))
        #expect(stubborn.end(within: .zero) == .signaled(SIGKILL))
    }

    @Test func `a wait ends with the signal, and with its time`() throws {
        let program = try shell("sleep 1000", [.standardOutput])
        let signal = try EventFlag()
        #expect(try program.wait(for: [.standardOutput], or: signal, within: .zero).isEmpty)
        signal.signal()
        #expect(try program.wait(for: [.standardOutput], or: signal).isEmpty)
        var bytes: [UInt8] = [1]
        #expect(try program.read(.standardOutput, to: &bytes, limit: 10) == .nothing && bytes == [1])
    }

    @Test func `a program's memory is limited`() throws {
        let script = "head -c 200000000 /dev/zero | tail -c 199999999 >/dev/null || echo refused"
        let program = try ChildProgram(
            ["sh", "-c", script], outputs: [.standardOutput, .standardError], memory: 64 << 20)
        #expect(try all(.standardOutput, of: program) == "refused\n")
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
