public import CaptureModel
import ChildPrograms
import Glibc
public import PosixSupport

/// Reads how this machine's clock is kept in step: asks the kernel (`adjtimex(2)`), `ptp4l` by `pmc`, and `chronyd` by
/// `chronyc`.
///
/// The programs are asked on a thread of this actor. A program that is missing, or does not answer within a second,
/// says nothing.
public actor MachineDiscipline: ClockDiscipline {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let clock = SystemTimeSource()
    /// Where `pmc` makes the socket at which it is answered.
    private let folder: String
    private var rules = DisciplineRules()

    private static let patience = Duration.seconds(1)
    /// The sockets of `ptp4l`: from version 4 on one of which everybody may ask, before that the one of its
    /// administrator.
    private static let sockets = [
        "/var/run/ptp/ptp4lro", "/var/run/ptp4lro", "/var/run/ptp/ptp4l", "/var/run/ptp4l",
    ]

    /// - Parameter environment: Of this process. `RUNTIME_DIRECTORY` is where a service makes sockets.
    /// - Throws: If no thread can be created.
    public init(environment: [String: String]) throws(PosixError) {
        executor = try ThreadExecutor(name: "discipline")
        let folders = environment["RUNTIME_DIRECTORY"]?.split(separator: ":") ?? []
        folder = folders.first.map(String.init) ?? (geteuid() == 0 ? "/var/run" : "/tmp")
    }

    public func reading() -> DisciplinedClock<LocalTimeBase>? {
        rules.reading(from: evidence())
    }

    private func evidence() -> DisciplineEvidence {
        let programs = Self.mayAsk ? ClockProgram.running() : [:]
        let before = clock.boundedPair()
        let ptp = programs[.ptp].flatMap { $0.count == 1 ? askPTP() : nil }
        let chrony = ptp == nil ? Self.askChrony() : nil
        return DisciplineEvidence(
            before: before, after: clock.boundedPair(), isSynchronized: (try? WallClockState.read())?.isSynchronized,
            programs: Set(programs.keys),
            isPTPInSoftware: ptp != nil && programs[.ptp]?.first.map(Self.isInSoftware) == true, ptp: ptp,
            chrony: chrony)
    }

    /// Whether a program that can ask is installed.
    private static var mayAsk: Bool { ["pmc", "chronyc"].contains { (try? ProgramPath.find($0)) != nil } }

    private func askPTP() -> PTPStatus? {
        guard let socket = Self.sockets.first(where: { unsafe access($0, W_OK) == 0 }) else { return nil }
        let own = "\(folder)/caprig-pmc.\(getpid())"
        return PTPStatus(Self.lines(["pmc", "-u", "-b", "0", "-s", socket, "-i", own] + PTPStatus.questions))
    }

    private static func askChrony() -> ChronyStatus? { ChronyStatus(lines(["chronyc", "-n", "-c", "tracking"])) }

    private static func lines(_ command: [String]) -> [Substring] {
        guard (try? ProgramPath.find(command[0])) != nil else { return [] }
        return (try? ChildProgram.lines(of: command, within: patience)) ?? []
    }

    private static func isInSoftware(_ process: RunningProcess) -> Bool {
        let line = PTPCommandLine(process.arguments ?? [])
        // A relative path is one of the folder in which it was started.
        guard let path = line.configuration, path.hasPrefix("/"),
            let bytes = try? OpenFile(opening: path).readStream(limit: 1 << 16)
        else { return line.isInSoftware(configuration: nil) }
        return line.isInSoftware(configuration: String(decoding: bytes, as: UTF8.self))
    }
}
