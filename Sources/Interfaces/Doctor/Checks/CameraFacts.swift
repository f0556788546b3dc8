public import CaptureModel

/// A configured camera of this machine.
public struct CameraFacts: Hashable, Sendable {
    public var name: DeviceName
    /// The user whom the checks concern, by name.
    public var user: String
    public var authorization: AuthorizationStatus
    /// A sentence that says what to do if the user may not open it, or if it is absent; nil if nothing is known.
    public var remedy: String?
    public var bus: SessionCost.USBBus?
    /// nil if the camera chooses its format.
    public var streamBytesPerSecond: Int64?

    public init(
        _ name: DeviceName, user: String, authorization: AuthorizationStatus, remedy: String? = nil,
        bus: SessionCost.USBBus? = nil, streamBytesPerSecond: Int64? = nil
    ) {
        self.name = name
        self.user = user
        self.authorization = authorization
        self.remedy = remedy
        self.bus = bus
        self.streamBytesPerSecond = streamBytesPerSecond
    }
}

extension CameraFacts {
    public static let checks: [Check<CameraFacts>] = [{ CheckOutcome($0.access) }]

    private var access: Finding? {
        let subject = "camera \(name)"
        switch authorization {
        case .authorized: return nil
        case .notDetermined:
            // A camera that nothing is known of has no hardware.
            return remedy.map { remedy in
                .problem(
                    .cameraAbsent, subject, "it is not there",
                    fix: "\(remedy); `capagentd --list-devices` shows what is")
            }
        case .denied, .restricted:
            return .problem(
                .cameraDenied, subject, "user '\(user)' may not open it",
                fix: remedy ?? "usermod -aG video \(user), and start the agent again")
        }
    }
}

/// A USB bus and what the cameras on it need.
public struct BusFacts: Hashable, Sendable {
    public var number: Int
    public var limitBytesPerSecond: Int64
    public var bytesPerSecond: Int64
    /// The cameras, by name.
    public var cameras: [String]
    /// Whether the format of one of them is not known, so that more may be needed.
    public var isIncomplete: Bool

    public init(
        number: Int, limitBytesPerSecond: Int64, bytesPerSecond: Int64, cameras: [String], isIncomplete: Bool = false
    ) {
        self.number = number
        self.limitBytesPerSecond = limitBytesPerSecond
        self.bytesPerSecond = bytesPerSecond
        self.cameras = cameras
        self.isIncomplete = isIncomplete
    }

    /// The buses of cameras, in order of number.
    public static func buses(of cameras: [CameraFacts]) -> [BusFacts] {
        var buses: [Int: BusFacts] = [:]
        for camera in cameras {
            guard let bus = camera.bus else { continue }
            let facts = BusFacts(number: bus.number, limitBytesPerSecond: 0, bytesPerSecond: 0, cameras: [])
            buses[bus.number, default: facts].add(camera, bus)
        }
        return buses.values.sorted { $0.number < $1.number }
    }

    private mutating func add(_ camera: CameraFacts, _ bus: SessionCost.USBBus) {
        limitBytesPerSecond = max(limitBytesPerSecond, bus.limitBytesPerSecond)
        bytesPerSecond = bytesPerSecond.addingReportingOverflow(camera.streamBytesPerSecond ?? 0).partialValue
        isIncomplete = isIncomplete || camera.streamBytesPerSecond == nil
        cameras.append(camera.name.rawValue)
    }

    public static let checks: [Check<BusFacts>] = [{ $0.width }]

    private var width: CheckOutcome {
        guard bytesPerSecond > limitBytesPerSecond else { return isIncomplete ? .unknown : .fine }
        return .found(
            .problem(
                .busNarrow, "USB bus \(number)",
                "its cameras (\(cameras.joined(separator: ", "))) need \(bytesPerSecond.megabytes)/s, and it carries about \(limitBytesPerSecond.megabytes)/s",
                fix:
                    "plug one into another controller (`lsusb -t`), or set `format: { pixelFormat: MJPG }` or a smaller size"
            ))
    }
}
