internal import Glibc
public import PosixSupport
internal import Subprocess
internal import SystemPackage

/// A program of the machine that does one bounded piece of secondary work.
///
/// It runs without a shell, with low scheduling priority (`nice`), in a separate session, and only for a limited time
/// (`timeout`). Its input and output are files that are open, or named by its arguments.
///
/// When this process ends, the program ends too. The kernel sends SIGTERM to `timeout` (`setpriv --pdeathsig`), which
/// forwards it to the program and the program's children, and kills the remaining ones a second later. If this process
/// ends within milliseconds of the start, before `setpriv` has made this request, the time limit still applies.
///
/// The program may therefore outlive this process by a second or, in that case, by its limit, while the next run of
/// this process may start it again. For this reason it receives its output file open and does not look it up by name
/// (``outputPath``): each run has a separate file.
public struct ExternalProgram: Sendable {
    /// The file name that is looked up.
    public let name: String
    private let path: String

    /// The path by which a program opens the file that ``run(_:reading:writing:byteLimit:limit:)`` passes to it for writing: its
    /// standard output. This is a regular file, in which the program may seek and write.
    public static let outputPath = "/proc/self/fd/1"
    /// The path by which a program opens the file that it is to read: its standard input. The file may have no name, and is read from
    /// its beginning, wherever its position is.
    public static let inputPath = "/proc/self/fd/0"

    /// The niceness of the program.
    private static let niceness = "10"
    /// The most bytes read from standard error. A program that writes more has failed.
    private static let complaintLimit = 1 << 20
    /// The lines of standard error that an error repeats.
    private static let toldLines = 3
    /// The status with which `timeout` reports a killed child.
    private static let killedStatus: CInt = 137
    /// The status with which a shell or `timeout` reports a child that has exceeded its file size.
    private static let sizeStatus: CInt = 128 + SIGXFSZ

    /// Looks up a program as a shell does, with one file system access for each folder.
    /// - Parameter searchPath: Folders separated by colons; nil means the environment variable `PATH`.
    /// - Returns: nil if no folder has it.
    public static func find(_ name: String, in searchPath: String? = nil) -> ExternalProgram? {
        let inherited = unsafe getenv("PATH").map { unsafe String(cString: $0) }
        let folders = searchPath ?? inherited ?? ""
        for folder in folders.split(separator: ":") {
            let path = "\(folder)/\(name)"
            if unsafe access(path, X_OK) == 0 { return ExternalProgram(name: name, path: path) }
        }
        return nil
    }

    /// Runs the program and waits for its end without blocking a thread.
    ///
    /// - Parameters:
    ///   - arguments: Passed to the program without interpretation.
    ///   - input: Open for reading; nil: standard input is empty.
    ///   - output: Open for writing; nil discards standard output.
    ///   - byteLimit: The most bytes that a file may have that the program writes (`RLIMIT_FSIZE`); nil: no limit. One that writes more is
    ///     ended.
    ///   - limit: The longest run time, in full seconds, rounded up.
    /// - Throws: ``ExternalProgramError``. If the task is cancelled, the program and its children are killed.
    public func run(
        _ arguments: [String], reading input: OpenFile? = nil, writing output: OpenFile? = nil, byteLimit: Int64? = nil,
        limit: Duration
    ) async throws(ExternalProgramError) {
        var platform = PlatformOptions()
        platform.createSession = true
        platform.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        let seconds = limit.components.seconds + (limit.components.attoseconds > 0 ? 1 : 0)
        // The kernel's "parent" is the spawning thread. swift-subprocess has a thread for this, which exists as long as the process.
        let command =
            ["--pdeathsig", "TERM", "timeout", "--signal=KILL", "--kill-after=1", "\(max(seconds, 1))"]
            + ["nice", "-n", Self.niceness] + (byteLimit.map { ["prlimit", "--fsize=\($0)"] } ?? []) + [path]
            + arguments
        let status: TerminationStatus
        let complaints: String
        do {
            // Open until the program has ended.
            defer { withExtendedLifetime((input, output)) {} }
            if let input {
                (status, complaints) = try await run(
                    command, platform,
                    .fileDescriptor(FileDescriptor(rawValue: input.rawDescriptor), closeAfterSpawningProcess: false),
                    output)
            } else {
                (status, complaints) = try await run(command, platform, .none, output)
            }
        } catch {
            guard !Task.isCancelled else { throw cancelled }
            throw ExternalProgramError(code: .notStarted, program: name, cause: "could not be run: \(error)")
        }
        guard !Task.isCancelled else { throw cancelled }
        try check(status, complaints, limit: seconds, byteLimit)
    }

    private func run(
        _ command: [String], _ platform: PlatformOptions, _ input: some InputProtocol, _ output: OpenFile?
    ) async throws -> (TerminationStatus, String) {
        guard let output else { return try await start(command, platform, input, .discarded) }
        return try await start(
            command, platform, input,
            .fileDescriptor(FileDescriptor(rawValue: output.rawDescriptor), closeAfterSpawningProcess: false))
    }

    private func start(
        _ command: [String], _ platform: PlatformOptions, _ input: some InputProtocol, _ output: some OutputProtocol
    ) async throws -> (TerminationStatus, String) {
        let result = try await Subprocess.run(
            .name("setpriv"), arguments: Arguments(command), platformOptions: platform, input: input, output: output,
            error: .string(limit: Self.complaintLimit))
        return (result.terminationStatus, result.standardError)
    }

    private var cancelled: ExternalProgramError {
        ExternalProgramError(code: .cancelled, program: name, cause: "was ended, since its result is not needed")
    }

    private func check(
        _ status: TerminationStatus, _ complaints: String, limit: Int64, _ byteLimit: Int64?
    ) throws(ExternalProgramError) {
        switch status {
        case .exited(0): return
        case .exited(Self.sizeStatus), .signaled(SIGXFSZ):
            throw failed("was ended: its output would have had more than \(byteLimit ?? 0) bytes", complaints)
        case .exited(Self.killedStatus), .signaled(SIGKILL):
            throw ExternalProgramError(
                code: .killed, program: name,
                cause: "was killed: it took longer than \(limit) s, or the machine ran out of memory")
        case .exited(let code): throw failed("ended with status \(code)", complaints)
        case .signaled(let signal): throw failed("was ended by signal \(signal)", complaints)
        }
    }

    private func failed(_ how: String, _ complaints: String) -> ExternalProgramError {
        let lines = complaints.split(whereSeparator: \.isNewline).suffix(Self.toldLines).joined(separator: "; ")
        return ExternalProgramError(code: .failed, program: name, cause: lines.isEmpty ? how : "\(how): \(lines)")
    }
}
