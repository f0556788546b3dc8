import Foundation
import Synchronization

/// A program that a test has started; killed when the last reference to it goes.
///
/// Its standard input is a pipe that nothing is written to. Its standard output comes as lines, its standard error goes to
/// a file.
final class RunningProgram: Sendable {
    let name: String
    let logPath: String
    let processIdentifier: Int32
    private let input: FileHandle
    private let output: AsyncStream<String>
    private let end: AsyncStream<Int32>
    private let hasEnded = HasEnded()

    /// Set by the thread that has waited for the end, before the process's id may be given to another.
    private final class HasEnded: Sendable {
        let value = Mutex(false)
    }

    /// - Parameter environment: Added to the test's own.
    init(
        _ name: String, program: String, arguments: [String], environment: [String: String] = [:], log: String
    ) throws {
        self.name = name
        logPath = log
        let child = try ChildSpawn(
            program: program, arguments: arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, log: log)
        processIdentifier = child.processIdentifier
        input = child.input
        output = Self.lines(of: child.output)
        end = Self.end(of: child.processIdentifier, hasEnded)
        // Programs such as unshare and env run the one that their arguments name.
        if ([program] + arguments).contains(where: Programs.isDaemon) { DaemonLogs.current?.add(log, of: name) }
    }

    deinit {
        send(SIGKILL)
    }

    func send(_ signal: Int32) {
        hasEnded.value.withLock { hasEnded in
            if !hasEnded { kill(processIdentifier, signal) }
        }
    }

    func closeInput() {
        try? input.close()
    }

    /// Waits for the program's end; once.
    /// - Parameter limit: After it the program is killed, which is a failure.
    /// - Returns: Its exit status, or 128 plus the signal that ended it.
    func exitStatus(within limit: Duration) async throws -> Int32 {
        let found: Int32? = try await killing(after: limit) { [end] in
            for await status in end { return status }
            return nil
        }
        guard let found else { throw SystemTestError("nobody can wait twice for the end of \(name)") }
        return found
    }

    /// Kills the program and waits until it is gone.
    func killNow() async throws {
        send(SIGKILL)
        _ = try await exitStatus(within: TestRig.patience)
    }

    /// The next line of output that `matches` accepts; those before it are passed over.
    /// - Parameter limit: After it the program is killed, which is a failure.
    func nextLine(within limit: Duration, where matches: @Sendable @escaping (String) -> Bool) async throws -> String {
        let found: String? = try await killing(after: limit) { [output] in
            for await line in output where matches(line) { return line }
            return nil
        }
        guard let found else { throw SystemTestError("\(name) has ended before it said what was expected:\n\(log)") }
        return found
    }

    /// All further output, up to the program's end.
    func restOfOutput(within limit: Duration) async throws -> String {
        try await killing(after: limit) { [output] in
            await output.reduce(into: "") { $0 += $1 + "\n" }
        }
    }

    /// What the program has written to standard error.
    var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    private func killing<Result: Sendable>(
        after limit: Duration, _ body: @Sendable @escaping () async -> Result
    ) async throws -> Result {
        let killer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return false }
            send(SIGKILL)
            return true
        }
        let result = await body()
        killer.cancel()
        if await killer.value {
            throw SystemTestError("\(name) was not done within \(limit) and was killed; its log:\n\(log)")
        }
        return result
    }

    private static func end(of process: Int32, _ hasEnded: HasEnded) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            Thread {
                // Not reaped yet, so that the id stays this program's until nobody can signal it.
                ChildSpawn.awaitEnd(of: process)
                hasEnded.value.withLock { $0 = true }
                continuation.yield(ChildSpawn.reap(process))
                continuation.finish()
            }.start()
        }
    }

    private static func lines(of output: FileHandle) -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread {
                var rest = Data()
                while true {
                    let data = output.availableData
                    guard !data.isEmpty else { break }
                    rest += data
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }.start()
        }
    }
}

/// A program as the system knows it: its id and the parent's ends of its pipes.
///
/// `Process` of Foundation is not used, since it tells of an end by a run loop that may sleep through it when programs
/// are started and end at the same time.
struct ChildSpawn {
    var processIdentifier: pid_t
    /// Writable; the child reads its standard input from it.
    var input: FileHandle
    /// Readable; the child's standard output.
    var output: FileHandle

    /// Starts a program whose standard error goes to the file `log`.
    init(program: String, arguments: [String], environment: [String: String], log: String) throws {
        let (input, output) = try Self.spawning.withLock { _ in (try Self.pipe(), try Self.pipe()) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        var attributes = Self.attributes()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        let variables = environment.map { "\($0.key)=\($0.value)" }
        var identifier: pid_t = 0
        let code = Self.spawning.withLock { _ in
            unsafe Self.withCStrings([program] + arguments) { arguments in
                unsafe Self.withCStrings(variables) {
                    unsafe posix_spawn(&identifier, program, &actions, &attributes, arguments, $0)
                }
            }
        }
        close(input.read)
        close(output.write)
        self.input = FileHandle(fileDescriptor: input.write, closeOnDealloc: true)
        self.output = FileHandle(fileDescriptor: output.read, closeOnDealloc: true)
        guard code == 0 else { throw SystemTestError("\(program) cannot be started: errno \(code)") }
        processIdentifier = identifier
    }

    /// Blocks until the program has ended, and leaves it to be reaped.
    static func awaitEnd(of processIdentifier: pid_t) {
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Takes the end of a program that has ended.
    /// - Returns: Its exit status, or 128 plus the signal that ended it.
    static func reap(_ processIdentifier: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Signals as they are for a program started by a shell, whatever the calling thread has blocked.
    private static func attributes() -> posix_spawnattr_t {
        var (attributes, none, all) = (posix_spawnattr_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_init(&attributes)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw SystemTestError("no pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Held from a pipe's making until it closes in programs that are started, so that none holds another's open.
    private static let spawning = Mutex<Void>(())

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { pointer in unsafe free(pointer) } }
        return unsafe body(pointers + [nil])
    }
}
