import Foundation
import Synchronization

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
