import CameraKit
import CaptureEngine
import CaptureModel
import ControlMessages
import Sound
import Spool

/// This node's cameras and the requests for them. Only here does a coordinator reach the sessions.
actor CaptureNode {
    /// Number of results kept to answer a repeated Fire. The oldest are removed first. Captures whose result was
    /// removed are still answered from the spool.
    static let resultLimit = 512

    let name: NodeName
    /// Sessions by their inputs, which a switch exchanges.
    var sessions: [DeviceName: CaptureSession]
    let microphones: [DeviceName: SoundSession]
    /// Devices that a switch is about to exchange.
    var switching: Set<DeviceName> = []
    /// Devices whose stamps are about to be corrected. They are not switched.
    private(set) var correcting: Set<DeviceName> = []
    /// Every camera as it was when it was last listed with its session.
    var cameras: [DeviceName: DeviceDescription]
    private let spool: Spool
    private let rigClock: any RigTimeSource
    /// nil if corrections of stamps cannot be kept.
    private let stampFiles: StampFiles?
    /// Called when two sessions have exchanged their cameras.
    let switched: @Sendable () -> Void
    private var results: [CaptureKey: CaptureResult] = [:]
    private var resultOrder: [CaptureKey] = []
    private var firing: Set<CaptureKey> = []

    init(
        name: NodeName, sessions: [CaptureSession], microphones: [SoundSession] = [], spool: Spool,
        rigClock: any RigTimeSource, stampFiles: StampFiles? = nil,
        switched: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.sessions = Dictionary(sessions.map { ($0.device.id.device, $0) }, uniquingKeysWith: { first, _ in first })
        cameras = self.sessions.mapValues(\.device)
        self.microphones = Dictionary(
            microphones.map { ($0.device.id.device, $0) }, uniquingKeysWith: { first, _ in first })
        self.spool = spool
        self.rigClock = rigClock
        self.stampFiles = stampFiles
        self.switched = switched
    }

    /// Opens a camera again with a correction of its stamps, and keeps that for later runs of the agent; both or nothing.
    /// - Returns: Where the correction is kept.
    func keepStamps(of session: CaptureSession, _ correction: StampCorrection) async throws(RigProblem) -> [String] {
        let device = session.device.id
        guard let stampFiles else {
            throw RigProblem(.unsupportedSettings, "\(device): its node keeps no corrections of stamps")
        }
        guard correcting.insert(device.device).inserted else {
            throw RigProblem(
                .conflict,
                "\(device): its stamps are being corrected by another request; try again when that has ended")
        }
        defer { correcting.remove(device.device) }
        let old = session.camera
        if let present = old.stamps?.correction, present.measuredStamps != correction.measuredStamps {
            throw RigProblem(
                .conflict,
                "\(device): other stamps were measured than it has at present, and one correction does not hold for both; measure again (capctl, coordinator and node must be of this version)"
            )
        }
        let camera = try await stampFiles.camera(device.device, correctedBy: correction)
        // The camera that streams stays if its correction is the same.
        let isReplaced = old.stamps?.correction != correction
        if isReplaced { try await replaceCamera(of: session, by: camera) }
        let problem: RigProblem
        do throws(RigProblem) {
            return ["kept in \(try await stampFiles.keep(correction, of: device.device))"]
        } catch {
            problem = error
        }
        do throws(RigProblem) {
            if isReplaced { try await replaceCamera(of: session, by: old) }
        } catch {
            throw RigProblem(
                problem.code,
                "\(problem.message); the camera has the correction until its agent ends: \(error.message)")
        }
        throw problem
    }

    private func replaceCamera(of session: CaptureSession, by camera: any Camera) async throws(RigProblem) {
        do throws(ConfigurationFailure) {
            try await session.commitConfiguration(session.beginConfiguration().replacingCamera(by: camera))
        } catch {
            throw RigProblem(.conflict, "\(session.device.id): the correction of its stamps is not changed: \(error)")
        }
    }

    /// Returns every configured device once, with its condition.
    func statuses() async -> [DeviceStatus] {
        var statuses: [DeviceStatus] = []
        for camera in cameras.values.sorted(by: { $0.id < $1.id }) { statuses.append(await status(of: camera)) }
        for microphone in microphones.values.sorted(by: { $0.device.id < $1.device.id }) {
            statuses.append(DeviceStatus(device: microphone.device, condition: await microphone.condition))
        }
        return statuses
    }

    /// Drops settings that were prepared and not committed, because the coordinator that had them prepared has gone.
    func dropPreparedSettings() async {
        for session in sessions.values { await session.dropPreparedSettings() }
    }

    /// Returns how far back T may reach: the shortest ring of the running cameras.
    func ringDepth() async -> Duration {
        var reaches: [Duration] = []
        for session in sessions.values where await session.condition.isUsable {
            // It says itself that it cannot take a picture of the past, and does not keep others from it.
            if await session.isWithoutFrames { continue }
            reaches.append(await session.ringReach)
        }
        return reaches.min() ?? .zero
    }

    /// Arms one device of a prepare. Takes as long as its camera takes to answer.
    func prepare(
        _ order: PrepareOrder, _ device: DeviceID
    ) async -> Result<ResolvedPhotoSettings, RigProblem> {
        let key = CaptureKey(shot: order.shot, device: device)
        if case .captured(let report) = await result(of: key) { return .success(report.resolved) }
        guard let session = sessions[device.device] else { return .failure(unknown(key.device)) }
        return await session.arm(order.captureOrder(for: key))
    }

    /// Makes the capture of one device, or returns its result again.
    /// - Returns: nil while an earlier call is in progress; that call returns the result.
    func fire(_ key: CaptureKey) async -> CaptureResult? {
        guard !firing.contains(key) else { return nil }
        firing.insert(key)
        defer { firing.remove(key) }
        if let known = await result(of: key) { return known }
        guard let session = sessions[key.device.device] else { return .missed(key, unknown(key.device)) }
        let result = await session.fire(key)
        remember(result, key)
        return result
    }

    /// Ends the recording of one device at an instant. Does nothing if there is no recording.
    func stop(_ key: CaptureKey, at instant: RigTime) async {
        await sessions[key.device.device]?.stopRecording(key, at: instant)
    }

    func cancel(_ key: CaptureKey) async {
        await sessions[key.device.device]?.cancel(key)
    }

    /// Returns what is known of a capture that has ended: from memory, or from the spool if an earlier run made it.
    private func result(of key: CaptureKey) async -> CaptureResult? {
        if let known = results[key], !known.isGrowing { return known }
        // For a capture that owed a file, the spool knows the outcome of that file.
        return await spool.report(of: key).map { .captured($0) } ?? results[key]
    }

    private func remember(_ result: CaptureResult, _ key: CaptureKey) {
        if results.updateValue(result, forKey: key) == nil { resultOrder.append(key) }
        if resultOrder.count > Self.resultLimit { results[resultOrder.removeFirst()] = nil }
    }

    func unknown(_ device: DeviceID) -> RigProblem {
        let known = (Array(cameras.keys) + Array(microphones.keys)).map(\.rawValue).sorted()
        let question = Spelling.question(for: device.device.rawValue, among: known)
        return RigProblem(
            .unknownDevice, "node '\(name)' has no device '\(device.device)' in its configuration\(question)")
    }
}

extension PrepareOrder {
    /// Returns the order to one of the cameras.
    func captureOrder(for key: CaptureKey) -> CaptureOrder {
        CaptureOrder(
            key: key, time: time, rigClock: rigClock, pinnedUntil: pinnedUntil, setUntil: setUntil,
            settings: settings, realtimeAtTime: realtimeAtTime, utcOffsetMinutes: utcOffsetMinutes)
    }
}

extension CaptureResult {
    /// Whether the capture still owed files when this result was made.
    fileprivate var isGrowing: Bool {
        if case .captured(let report) = self { !report.owed.isEmpty } else { false }
    }
}

/// Client requests for a microphone. It has no session to start or stop: it is open while something needs sound.
extension CaptureNode {
    func result(
        of command: DeviceCommand?, _ microphone: SoundSession
    ) async throws(RigProblem) -> DeviceReply {
        guard case .describe = command else { throw Self.isMicrophone(microphone.device.id) }
        var details = DeviceDetails(
            device: microphone.device, condition: await microphone.condition,
            authorization: await microphone.microphone.authorization(),
            identity: microphone.microphone.identityDescription, capabilities: DeviceCapabilities())
        if details.authorization != .authorized {
            details.remedy = await microphone.microphone.authorizationRemedy()
        }
        return .details(details)
    }

    /// Answers whatever is not for microphones.
    static func isMicrophone(_ device: DeviceID) -> RigProblem {
        RigProblem(
            .conflict,
            "\(device) is a microphone: it is opened and closed automatically when sound is needed, and has no settings"
        )
    }
}
