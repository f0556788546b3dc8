internal import Glibc
public import PosixSupport
internal import Subprocess
internal import SystemPackage

/// A program of the machine that does one bounded piece of work, beside what this process is for.
///
/// It runs without a shell, with the lowest claim to processors but idle ones (`nice`), in a session of its own, and no
/// longer than it is given (`timeout`). It reads nothing from standard input.
///
/// However this process ends, the program ends with it: the kernel sends `timeout` SIGTERM (`setpriv --pdeathsig`), which
/// passes it on to the program and whatever that has started, and kills what is there a second later. Where this process
/// ends before `setpriv` has asked for that, within milliseconds of the start, the limit still holds.
///
/// So it may outlive this process by a second or, then, by its limit, and meanwhile the next life may run it again. What it writes it
/// is therefore given open, and does not look up by name (``outputPath``): each run has a file of its own.
public struct ExternalProgram: Sendable {
    /// Its file name, as it is looked up.
    public let name: String
    private let path: String

    /// The path by which a program opens the file that ``run(_:writing:limit:)`` gives it: its standard output. It is a file like any
    /// other then, in which a program may write anywhere.
    public static let outputPath = "/proc/self/fd/1"

    /// How much later than everything else it gets processor time.
    private static let niceness = "10"
    /// Bytes of complaints that are read; a program that writes more has failed.
    private static let complaintLimit = 1 << 20
    /// Lines of complaints that an error repeats.
    private static let toldLines = 3
    /// How `timeout` tells of a child that was killed.
    private static let killedStatus: CInt = 137

    /// Looks a program up, as a shell does. Asks the file system for as many names as there are folders.
    /// - Parameter searchPath: Folders, separated by colons; nil: those of the environment variable `PATH`.
    /// - Returns: nil where none of them has it.
    public static func find(_ name: String, in searchPath: String? = nil) -> ExternalProgram? {
        let inherited = unsafe getenv("PATH").map { unsafe String(cString: $0) }
        let folders = searchPath ?? inherited ?? ""
        for folder in folders.split(separator: ":") {
            let path = "\(folder)/\(name)"
            if unsafe access(path, X_OK) == 0 { return ExternalProgram(name: name, path: path) }
        }
        return nil
    }

    /// Runs the program to its end, which is waited for without a thread.
    ///
    /// - Parameters:
    ///   - arguments: As the program gets them; nothing in them is interpreted.
    ///   - output: Open for writing; nil: what the program writes to standard output is thrown away.
    ///   - limit: How long it may run; whole seconds, rounded up.
    /// - Throws: ``ExternalProgramError``. When the task is cancelled, the program and whatever it has started are killed.
    public func run(
        _ arguments: [String], writing output: OpenFile? = nil, limit: Duration
    ) async throws(ExternalProgramError) {
        var platform = PlatformOptions()
        platform.createSession = true
        platform.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        let seconds = limit.components.seconds + (limit.components.attoseconds > 0 ? 1 : 0)
        // The kernel's "parent" is the thread that spawned: swift-subprocess has one for that, as long as the process lives.
        let command =
            ["--pdeathsig", "TERM", "timeout", "--signal=KILL", "--kill-after=1", "\(max(seconds, 1))"]
            + ["nice", "-n", Self.niceness, path] + arguments
        let status: TerminationStatus
        let complaints: String
        do {
            if let output {
                // Held until the program has ended.
                defer { withExtendedLifetime(output) {} }
                (status, complaints) = try await run(
                    command, platform,
                    .fileDescriptor(FileDescriptor(rawValue: output.rawDescriptor), closeAfterSpawningProcess: false))
            } else {
                (status, complaints) = try await run(command, platform, .discarded)
            }
        } catch {
            guard !Task.isCancelled else { throw cancelled }
            throw ExternalProgramError(code: .notStarted, program: name, cause: "could not be run: \(error)")
        }
        guard !Task.isCancelled else { throw cancelled }
        try check(status, complaints, limit: seconds)
    }

    private func run(
        _ command: [String], _ platform: PlatformOptions, _ output: some OutputProtocol
    ) async throws -> (TerminationStatus, String) {
        let result = try await Subprocess.run(
            .name("setpriv"), arguments: Arguments(command), platformOptions: platform, output: output,
            error: .string(limit: Self.complaintLimit))
        return (result.terminationStatus, result.standardError)
    }

    private var cancelled: ExternalProgramError {
        ExternalProgramError(code: .cancelled, program: name, cause: "was ended, since its work is not wanted any more")
    }

    private func check(
        _ status: TerminationStatus, _ complaints: String, limit: Int64
    ) throws(ExternalProgramError) {
        switch status {
        case .exited(0): return
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
