import CSpawn
import Glibc
public import PosixSupport

/// A program that this process has started, read and ended by one thread.
///
/// It runs without a shell, as this process's user, in a new process group. Only its standard input, which may be written to or is
/// `/dev/null`, and the pipes are open. `prlimit` of util-linux sets its limits: 1024 descriptors, no core file. Ending the program ends its
/// group, and so what it has started, unless that has left the group.
// The guard of the memory: only the thread that owns this object uses it, and it is freed with the object.
@safe public final class ChildProgram {
    private let program: caprig_program
    private let outputs: [Output: CInt]
    /// The end to write of its standard input; -1 if that is closed, or `/dev/null`.
    private var input: CInt = -1
    private var ending: Ending?
    /// Where bytes are read to.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: largestRead, alignment: 1)

    /// Descriptors of a program. More breaks those that wait with `select(2)`.
    private static let openFiles = 1024

    /// The most bytes that a read gives.
    public static let largestRead = 256 << 10

    /// A descriptor of the program that it writes to.
    public struct Output: Hashable, Sendable {
        /// 1 to 9.
        public let number: CInt

        public static let standardOutput = Output(number: 1)
        public static let standardError = Output(number: 2)
        /// The first one that has no standard meaning.
        public static let third = Output(number: 3)
    }

    /// How a program ended.
    public enum Ending: Hashable, Sendable, CustomStringConvertible {
        case exited(status: CInt)
        case signaled(CInt)

        public var description: String {
            switch self {
            case .exited(let status): "ended with status \(status)"
            case .signaled(let signal): "was ended by signal \(signal)"
            }
        }
    }

    /// Bytes of an output, as far as they are there.
    public enum Reading: Equatable {
        case bytes(Int)
        /// Nothing yet.
        case nothing
        /// Whoever could write has closed it.
        case end
    }

    /// Starts a program.
    /// - Parameters:
    ///   - command: The program, looked for in `PATH` if its name has no slash, and its arguments. Not empty, and without zero bytes.
    ///   - takesInput: Whether ``write(_:)`` is used.
    ///   - memory: The bytes of its address space; nil for no limit.
    /// - Throws: `ENOENT` if the program is missing, `EACCES` if it may not be run, other codes if a pipe or a process cannot be made.
    public init(_ command: [String], outputs: [Output], takesInput: Bool = false, memory: UInt64? = nil)
        throws(PosixError)
    {
        let words = unsafe (try Self.limited(command, memory: memory)).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var pipes = [CInt](repeating: -1, count: outputs.count)
        var program = caprig_program()
        var input: CInt = -1
        let result =
            takesInput
            ? unsafe caprig_program_start(
                words, outputs.map(\.number), &pipes, CInt(outputs.count), &input, &program)
            : unsafe caprig_program_start(words, outputs.map(\.number), &pipes, CInt(outputs.count), nil, &program)
        guard result == 0 else {
            throw PosixError(code: -result, operation: "run", subject: "the program '\(command.first ?? "")'")
        }
        self.program = program
        self.input = input
        self.outputs = Dictionary(zip(outputs, pipes)) { first, _ in first }
    }

    /// Returns the command with its limits, which hold before its first instruction, and for what it starts.
    private static func limited(_ command: [String], memory: UInt64?) throws(PosixError) -> [String] {
        let space = memory.map { ["--as=\($0):\($0)"] } ?? []
        let limits = ["prlimit", "--core=0:0", "--nofile=\(openFiles):\(openFiles)"] + space
        return limits + ["--", try ProgramPath.find(command.first ?? "")] + command.dropFirst()
    }

    deinit {
        if ending == nil { _ = end(within: .zero) }
        closeInput()
        for file in outputs.values { close(file) }
        unsafe room.deallocate()
        close(program.end)
    }

    /// Its number, and that of its process group.
    public var id: Int32 { program.id }

    /// Waits until an output has bytes or has ended, or `signal` is raised, or the time is over. Blocks the thread.
    /// - Parameter limit: nil waits forever.
    /// - Returns: The outputs to read; none if the signal was raised or the time is over.
    public func wait(for waited: [Output], or signal: EventFlag, within limit: Duration? = nil) throws(PosixError)
        -> Set<Output>
    {
        let files = waited.compactMap { outputs[$0] } + [signal.descriptor]
        var ready = [CInt](repeating: 0, count: files.count)
        let result = unsafe caprig_wait_readable(files, &ready, CInt(files.count), limit.milliseconds)
        guard result >= 0 else {
            throw PosixError(code: -result, operation: "wait for", subject: "the output of a program")
        }
        return Set(zip(waited, ready).filter { $1 != 0 }.map(\.0))
    }

    /// Appends what an output has, at most `limit` bytes and ``largestRead``.
    public func read(_ output: Output, to bytes: inout [UInt8], limit: Int) throws(PosixError) -> Reading {
        guard let file = outputs[output] else { return .end }
        let result = unsafe caprig_read_available(file, room.baseAddress, min(limit, room.count))
        if result > 0 {
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<result]))
            return .bytes(result)
        }
        if result == 0 { return .end }
        guard result == -Int(EAGAIN) else {
            throw PosixError(code: CInt(-result), operation: "read", subject: "the output of a program")
        }
        return .nothing
    }

    /// Writes to the standard input of the program. Does not block. SIGPIPE must be blocked in the thread, or ignored.
    /// - Throws: `EAGAIN` if the program does not read, so that not everything was written; `EPIPE` if it has closed its input or ended.
    public func write(_ bytes: [UInt8]) throws(PosixError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let result = unsafe rest.withUnsafeBytes { unsafe caprig_write_available(input, $0.baseAddress, $0.count) }
            guard result > 0 else {
                throw PosixError(
                    code: input < 0 ? EPIPE : CInt(-result), operation: "write to", subject: "the input of a program")
            }
            rest = rest.dropFirst(result)
        }
    }

    /// Closes the standard input, after which the program reads its end.
    public func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Asks every process of the group to end (`SIGTERM`), kills those that have not when the program has ended or `grace` is over, and
    /// waits for the program's end. Blocks the thread, for little longer than `grace`.
    public func end(within grace: Duration) -> Ending {
        if let ending { return ending }
        // The program is not reaped yet, so its number is nobody else's.
        if grace > .zero {
            _ = caprig_program_signal(program.id, SIGTERM)
            waitForEnd(grace)
        }
        _ = caprig_program_signal(program.id, SIGKILL)
        return reap()
    }

    /// Waits until a program ends by itself, such as one that has closed its output. Kills it, and what it has started, after `grace`.
    /// - Returns: nil if it had to be killed.
    public func ended(within grace: Duration) -> Ending? {
        if let ending { return ending }
        let hasEnded = waitForEnd(grace)
        _ = caprig_program_signal(program.id, SIGKILL)
        let ending = reap()
        return hasEnded ? ending : nil
    }

    /// - Returns: Whether the program has ended.
    @discardableResult
    private func waitForEnd(_ limit: Duration?) -> Bool {
        var ready: CInt = 0
        return unsafe caprig_wait_readable([program.end], &ready, 1, limit.milliseconds) > 0
    }

    private func reap() -> Ending {
        var status: CInt = 0
        // A killed program may still be in the kernel.
        while unsafe caprig_program_reap(program.id, &status) == 0 { waitForEnd(nil) }
        let result: Ending = status & 0x7F == 0 ? .exited(status: status >> 8 & 0xFF) : .signaled(status & 0x7F)
        ending = result
        return result
    }
}

extension Duration? {
    /// For `poll(2)`: rounded up, negative for forever.
    fileprivate var milliseconds: CInt {
        guard let self else { return -1 }
        let (seconds, attoseconds) = self.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return CInt(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
