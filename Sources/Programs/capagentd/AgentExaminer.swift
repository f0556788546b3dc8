import CaptureModel
import DNG
import Doctor
import Foundation
import Movies
import NodeCore
import PosixSupport
import RigConfiguration

/// Checks what an agent's configuration needs of this machine.
struct AgentExaminer {
    private let configuration: AgentConfiguration
    private let time: any TimeSource
    /// Whether the configuration is the service's, so that its user counts.
    private let isOfService: Bool

    /// - Parameter file: The path of the configuration.
    init(_ configuration: AgentConfiguration, file: String, time: any TimeSource) {
        self.configuration = configuration
        self.time = time
        isOfService = file == AgentConfiguration.serviceFile
    }

    /// Asks this machine, and performs the checks. As root, and for the service, this process becomes the service's user.
    func examine() async throws -> Examination {
        let running = MachineProbe.daemon("capagentd", using: configuration.spool.folder)
        let machine = MachineProbe(time: time)
        var examination = Examination()
        // Root sees which program has a port.
        let listening = frames(running)
        if isOfService { try ServiceUser.ofAgents.become(orThatOf: running) }
        let user = Accounts.name(ofUser: Accounts.currentUser)
        let surveys = try await configuration.surveyCameras()
        let cameras = surveys.map { CameraFacts($0, user: user) }
        examination.perform(CameraFacts.checks, on: cameras)
        examination.perform(BusFacts.checks, on: BusFacts.buses(of: cameras))
        let demand = surveys.compactMap(\.streamBytesPerSecond).reduce(Int64(0)) {
            $0.addingReportingOverflow($1).partialValue
        }
        examination.perform(DiskFacts.checks, on: disks(user, demand))
        examination.perform(ClockFacts.checks, on: machine.clock())
        examination.perform(ListenFacts.checks, on: listening)
        examination.perform(CoordinatorFacts.checks, on: await coordinator())
        examination.perform(LimitFacts.checks, on: machine.limits(of: "capagentd", running))
        examination.perform(EncoderFacts.checks, on: encoders(surveys))
        return examination
    }

    private func disks(_ user: String, _ demand: Int64) -> [DiskFacts] {
        let spool = configuration.spool
        var facts = DiskFacts(
            "spool", at: spool.folder, setting: "spool.folder", user: user,
            neededBytes: spool.reserve.bytes.addingReportingOverflow(Self.captureBytes).partialValue,
            wantedBytes: spool.reserve.bytes.addingReportingOverflow(spool.limit.bytes - used).partialValue)
        facts.demandBytesPerSecond = demand
        let keys = DiskFacts(
            "keys", at: configuration.keys, setting: "keys.folder", user: user, neededBytes: 65_536, isPrivate: true)
        return [facts, keys].map(DiskProbe(time: time).examined)
    }

    /// Room for a capture with its clip.
    private static let captureBytes: Int64 = 64_000_000

    /// The bytes that the spool has stored already.
    private var used: Int64 {
        let files = FileManager.default.enumerator(atPath: configuration.spool.folder)
        var bytes: Int64 = 0
        while files?.nextObject() != nil { bytes += (files?.fileAttributes?[.size] as? Int64) ?? 0 }
        return min(bytes, configuration.spool.limit.bytes)
    }

    private func frames(_ running: RunningProcess?) -> [ListenFacts] {
        let frames = configuration.frames
        guard frames.enabled else { return [] }
        let state = MachineProbe.listening(
            on: frames.listen.host, port: frames.listen.port, setting: "frames.listen", "capagentd", running)
        return [
            ListenFacts(
                "capagentd", "live pictures", setting: "frames.listen", host: frames.listen.host,
                port: frames.listen.port,
                state: state, hasRemotePeers: !ReachProbe.isHere(configuration.coordinator))
        ]
    }

    private func coordinator() async -> CoordinatorFacts {
        await ReachProbe(time: time).coordinator(
            configuration.coordinator, keys: configuration.keys, environment: ProcessInfo.processInfo.environment)
    }

    private func encoders(_ surveys: [CameraSurvey]) -> [EncoderFacts] {
        func names(_ feature: (CameraSurvey) -> Bool) -> String? {
            let names = surveys.filter(feature).map(\.name.rawValue)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
        let clips = names(\.hasClips).map { cameras in
            [
                EncoderFacts(
                    "libavformat", missingPackage: MovieSupport.missingPackage(), users: "clips of \(cameras)",
                    consequence: "photos have none, and shots that ask for them and movies are refused"),
                EncoderFacts(
                    MovieEncoder.programName,
                    missingPackage: ExternalProgram.find(MovieEncoder.programName) == nil ? "ffmpeg" : nil,
                    users: "clips of \(cameras)", consequence: "motion photos and clips in H.264 are refused"),
            ]
        }
        let developer = names(\.developsRaw).map { cameras in
            EncoderFacts(
                "LibRaw", missingPackage: DevelopedPicture.missingPackage(), users: "RAW of \(cameras)",
                consequence: "pictures cannot be developed and are refused")
        }
        return (clips ?? []) + [developer].compactMap(\.self)
    }
}

extension CameraFacts {
    fileprivate init(_ survey: CameraSurvey, user: String) {
        self.init(
            survey.name, user: user, authorization: survey.authorization, remedy: survey.remedy, bus: survey.bus,
            streamBytesPerSecond: survey.streamBytesPerSecond)
    }
}
