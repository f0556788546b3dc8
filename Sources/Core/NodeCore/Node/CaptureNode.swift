import CaptureEngine
import CaptureModel
import Sound
import Spool

/// This node's cameras and what is asked of them: the one place where a coordinator meets the sessions.
actor CaptureNode {
    /// Results kept so that a repeated Fire is answered again; the oldest leave first. What has left and was captured
    /// is still answered from the spool.
    static let resultLimit = 512

    let name: NodeName
    /// Sessions by their inputs, which a switch exchanges.
    var sessions: [DeviceName: CaptureSession]
    let microphones: [DeviceName: SoundSession]
    /// Devices that a switch is about to exchange.
    var switching: Set<DeviceName> = []
    /// Every camera as it was when it was last listed with its session.
    var cameras: [DeviceName: DeviceDescription]
    private let spool: Spool
    private let rigClock: any RigTimeSource
    /// Told when two sessions have exchanged their cameras.
    let switched: @Sendable () -> Void
    private var results: [CaptureKey: CaptureResult] = [:]
    private var resultOrder: [CaptureKey] = []
    private var firing: Set<CaptureKey> = []

    init(
        name: NodeName, sessions: [CaptureSession], microphones: [SoundSession] = [], spool: Spool,
        rigClock: any RigTimeSource,
        switched: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.sessions = Dictionary(sessions.map { ($0.device.id.device, $0) }, uniquingKeysWith: { first, _ in first })
        cameras = self.sessions.mapValues(\.device)
        self.microphones = Dictionary(
            microphones.map { ($0.device.id.device, $0) }, uniquingKeysWith: { first, _ in first })
        self.spool = spool
        self.rigClock = rigClock
        self.switched = switched
    }

    /// Every configured device once, with what it is doing.
    func statuses() async -> [DeviceStatus] {
        var statuses: [DeviceStatus] = []
        for camera in cameras.values.sorted(by: { $0.id < $1.id }) { statuses.append(await status(of: camera)) }
        for microphone in microphones.values.sorted(by: { $0.device.id < $1.device.id }) {
            statuses.append(DeviceStatus(device: microphone.device, condition: await microphone.condition))
        }
        return statuses
    }

    /// How far back T may reach: the shortest ring of the running cameras.
    func ringReach() async -> Duration {
        var reaches: [Duration] = []
        for session in sessions.values where await session.condition.isUsable {
            reaches.append(await session.ringReach)
        }
        return reaches.min() ?? .zero
    }

    /// Arms one device of a prepare; takes as long as its camera takes to answer.
    func prepare(
        _ order: PrepareOrder, _ device: DeviceName
    ) async -> Result<ResolvedPhotoSettings, CaptureProblem> {
        let key = CaptureKey(shot: order.shot, device: DeviceID(node: name, device: device))
        if case .captured(let report) = await result(of: key) { return .success(report.resolved) }
        guard let session = sessions[device] else { return .failure(unknown(key.device)) }
        return await session.arm(order.captureOrder(for: key))
    }

    /// Makes the capture of one device, or tells again how it went.
    /// - Returns: nil while an earlier call is still at it; that call returns the result.
    func fire(_ shot: ShotID, _ device: DeviceName) async -> CaptureResult? {
        let key = CaptureKey(shot: shot, device: DeviceID(node: name, device: device))
        guard !firing.contains(key) else { return nil }
        firing.insert(key)
        defer { firing.remove(key) }
        if let known = await result(of: key) { return known }
        guard let session = sessions[device] else { return .missed(key, unknown(key.device)) }
        let result = await session.fire(key)
        remember(result, key)
        return result
    }

    /// Ends the recording of one device at an instant; harmless where there is none.
    func stop(_ shot: ShotID, _ device: DeviceName, at instant: RigTime) async {
        await sessions[device]?.stopRecording(
            CaptureKey(shot: shot, device: DeviceID(node: name, device: device)), at: instant)
    }

    func cancel(_ shot: ShotID, _ device: DeviceName) async {
        await sessions[device]?.cancel(CaptureKey(shot: shot, device: DeviceID(node: name, device: device)))
    }

    /// What is known of a capture that has ended: from memory, or from the spool where it was made by an earlier life.
    private func result(of key: CaptureKey) async -> CaptureResult? {
        if let known = results[key], !known.isGrowing { return known }
        // Of a capture that owed a file, the spool knows what has become of it.
        return await spool.report(of: key).map { .captured($0) } ?? results[key]
    }

    private func remember(_ result: CaptureResult, _ key: CaptureKey) {
        if results.updateValue(result, forKey: key) == nil { resultOrder.append(key) }
        if resultOrder.count > Self.resultLimit { results[resultOrder.removeFirst()] = nil }
    }

    func unknown(_ device: DeviceID) -> CaptureProblem {
        CaptureProblem(.unknownDevice, "node '\(name)' has no device '\(device.device)' in its configuration")
    }
}

extension CaptureResult {
    /// Whether files of it were still to come when it was told.
    fileprivate var isGrowing: Bool {
        if case .captured(let report) = self { !report.owed.isEmpty } else { false }
    }
}
