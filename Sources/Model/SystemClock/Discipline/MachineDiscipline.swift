public import CaptureModel
import ChildPrograms
import Glibc
public import PosixSupport

/// Reads how this machine's clock is kept in step: asks the kernel (`adjtimex(2)`), `ptp4l` by `pmc`, and `chronyd` by
/// `chronyc`.
///
/// The programs are asked on a thread of this actor. A program that is missing, or does not answer within a second,
/// says nothing. `chronyd` is asked where PTP was not believed at the reading before.
public actor MachineDiscipline: ClockDiscipline {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let clock = SystemTimeSource()
    /// Where `pmc` makes the socket at which it is answered.
    private let folder: String
    private var rules = DisciplineRules()
    /// Called on the thread of this actor when the reason changes for which PTP is not believed.
    private let report: @Sendable (String) -> Void
    private var doubt: String?

    private static let patience = Duration.seconds(1)
    /// The sockets of `ptp4l`: from version 4 on one of which everybody may ask, before that the one of its
    /// administrator.
    private static let sockets = [
        "/var/run/ptp/ptp4lro", "/var/run/ptp4lro", "/var/run/ptp/ptp4l", "/var/run/ptp4l",
    ]

    /// - Parameters:
    ///   - environment: Of this process. `RUNTIME_DIRECTORY` is where a service makes sockets.
    ///   - report: Told why what `ptp4l` says of the clock of a network card says nothing of `CLOCK_REALTIME`, once for
    ///     each reason. Must not block.
    /// - Throws: If no thread can be created.
    public init(
        environment: [String: String], report: @escaping @Sendable (String) -> Void
    ) throws(PosixError) {
        self.report = report
        executor = try ThreadExecutor(name: "discipline")
        let folders = environment["RUNTIME_DIRECTORY"]?.split(separator: ":") ?? []
        folder = folders.first.map(String.init) ?? (geteuid() == 0 ? "/var/run" : "/tmp")
    }

    public func reading() -> DisciplinedClock<LocalTimeBase>? {
        let reading = rules.reading(from: evidence())
        let earlier = doubt
        doubt = rules.doubt
        if let doubt, doubt != earlier { report(doubt) }
        return reading
    }

    private func evidence() -> DisciplineEvidence {
        let programs = Self.mayAsk ? ClockProgram.running() : [:]
        let before = clock.boundedPair()
        let ptp = programs[.ptp].flatMap { $0.count == 1 ? askPTP() : nil }
        let chrony = ptp == nil || !rules.believesPTP ? Self.askChrony() : nil
        return DisciplineEvidence(
            before: before, after: clock.boundedPair(), isSynchronized: (try? WallClockState.read())?.isSynchronized,
            programs: Set(programs.keys),
            isPTPInSoftware: programs[.ptp]?.contains(where: Self.isInSoftware) == true,
            phc2sys: programs[.phc2sys]?.map { PHCCommandLine($0.arguments ?? []) } ?? [], ptp: ptp, chrony: chrony)
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
