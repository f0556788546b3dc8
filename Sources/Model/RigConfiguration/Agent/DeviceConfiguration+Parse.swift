import CaptureModel

extension DeviceConfiguration {
    /// The most devices of a node, as many as its hello can carry.
    public static let maximumCount = 128

    /// Reads the devices of a node. Reports a problem if there is none, or if two have the same name or are the same camera.
    /// - Parameters:
    ///   - sources: The allowed kinds of sources.
    ///   - microphones: The microphones of the node. Their names are in use, and devices can refer to them.
    static func list(
        _ value: YAMLValue, _ sources: [any SourceConfiguration.Type], _ microphones: [MicrophoneConfiguration]
    ) -> [DeviceConfiguration]? {
        guard let values = value.list(limit: maximumCount) else { return nil }
        if values.count + microphones.count > maximumCount {
            value.report(
                .badValue,
                "has \(values.count) cameras and \(microphones.count) microphones; together at most \(maximumCount) are allowed"
            )
        }
        var devices: [DeviceConfiguration] = []
        for value in values {
            guard let device = value.mapping().flatMap({ DeviceConfiguration($0, sources, microphones) }) else {
                continue
            }
            report(device, among: devices, value)
            if microphones.contains(where: { $0.name == device.name }) {
                value.report(.duplicate, "a microphone has the name '\(device.name)' too; names are unique on a node")
            }
            devices.append(device)
        }
        return devices
    }

    private static func report(_ device: Self, among others: [Self], _ value: YAMLValue) {
        if others.contains(where: { $0.name == device.name }) {
            value.report(.duplicate, "two devices have the name '\(device.name)'; names are unique on a node")
        }
        guard device.enabled else { return }
        if let other = others.first(where: { $0.enabled && $0.source.isSameHardware(as: device.source) }) {
            value.report(.duplicate, "'\(other.name)' and '\(device.name)' are the same camera")
        }
    }

    private init?(
        _ mapping: YAMLMapping, _ sources: [any SourceConfiguration.Type], _ microphones: [MicrophoneConfiguration]
    ) {
        let name: DeviceName? = mapping.required("name")?.scalar(.name())
        let type = mapping.read("type", .word, default: DeviceType.external.rawValue)
        let position = mapping.read("position", .word, default: Position.unspecified.rawValue)
        let labels = mapping.value("labels")?.list(limit: 32)?.compactMap { $0.scalar(.word) } ?? []
        let orientation = mapping.read("orientation", .orientation, default: .degrees0)
        let mirrored = mapping.read("mirrored", .flag, default: false)
        let purpose = mapping.required("purpose")?.scalar(.text(limit: 256))
        let enabled = mapping.read("enabled", .flag, default: true)
        let source = mapping.required("source")?.mapping().flatMap { DeviceSource($0, sources) }
        let format = mapping.mapping("format").map(FormatPreference.init) ?? FormatPreference()
        let quality = mapping.read("quality", .integer(1...100), default: 90)
        let stamps = StampCorrection(mapping)
        let preset = mapping.read("preset", .oneOf(SessionPreset.self), default: .inputPriority)
        let standby = mapping.read("standby", .oneOf(StandbyPolicy.self), default: .always)
        let maxPhotoDimensions = mapping.value("maxPhotoDimensions")?.scalar(.maxPhotoDimensions)
        let live = mapping.read("live", .flag, default: true)
        let align = mapping.read("align", .flag, default: false)
        let sceneChange = SceneChangeSettings(mapping)
        let raw = RawSettings(mapping)
        let microphone = Self.microphone(mapping, microphones)
        let audio = mapping.read("audio", .oneOf(AudioPolicy.self), default: .optional)
        mapping.finish()
        if audio == .required, microphone == nil {
            mapping.report(.badValue, "'audio: required' needs a 'microphone'")
        }
        guard let name, let purpose, let source else { return nil }
        self.init(
            name: name, type: DeviceType(rawValue: type), position: Position(rawValue: position), labels: labels,
            orientation: orientation, mirrored: mirrored, purpose: purpose, enabled: enabled, source: source,
            format: format, quality: quality, stamps: stamps, preset: preset, standby: standby,
            maxPhotoDimensions: maxPhotoDimensions, live: live, align: align, sceneChange: sceneChange,
            raw: raw, microphone: microphone, audio: audio)
    }

    /// Reads the microphone that a device names.
    private static func microphone(
        _ mapping: YAMLMapping, _ microphones: [MicrophoneConfiguration]
    ) -> DeviceName? {
        guard let value = mapping.value("microphone"), let name: DeviceName = value.scalar(.name()) else { return nil }
        let names = microphones.filter(\.enabled).map(\.name.rawValue)
        if !names.contains(name.rawValue) {
            let hint = name.rawValue.nearest(among: names).map { "; did you mean '\($0)'?" } ?? ""
            value.report(.badValue, "'microphones' has no enabled one of the name '\(name)'\(hint)")
        }
        return name
    }
}

extension FormatPreference {
    init(_ mapping: YAMLMapping) {
        self.init()
        pixelFormat = mapping.value("pixelFormat")?.scalar(.oneOf(PixelFormat.self))
        width = mapping.value("width")?.scalar(.integer(16...65_535))
        height = mapping.value("height")?.scalar(.integer(16...65_535))
        framesPerSecond = mapping.value("framesPerSecond")?.scalar(.number(0.01...1000))
        mapping.finish()
    }
}

extension StampCorrection {
    /// Reads the keys from the mapping of the device.
    init(_ mapping: YAMLMapping) {
        let range: ClosedRange<Duration> = .zero ... .seconds(1)
        self.init()
        latencyOffset = mapping.read("latencyOffset", .duration(.seconds(-1) ... .seconds(1)), default: .zero)
        readout = mapping.read("readout", .duration(range), default: .zero)
        uncertainty = mapping.value("uncertainty")?.scalar(.duration(range))
        measuredExposure = mapping.value("measuredExposure")?.scalar(.duration(range))
        measuredFormat = mapping.value("measuredFormat")?.scalar(.text(limit: Self.formatByteCount))
        measuredOn = mapping.value("measuredOn")?.scalar(.calendarDay)
        measuredStamps = mapping.value("measuredStamps")?.scalar(.oneOf(StampOrigin.self))
        let measurement = mapping.value("measurement")
        let shared = mapping.value("sharedUncertainty")
        let id: MeasurementID? = measurement?.scalar(.measurementID)
        let bound: Duration? = shared?.scalar(.duration(range))
        if (measurement == nil) != (shared == nil) {
            mapping.report(.badValue, "'measurement' and 'sharedUncertainty' say something only together")
        }
        guard let id, let bound else { return }
        sharedError = SharedError(id, bound: bound)
        if !isConsistent {
            mapping.report(.badValue, "'sharedUncertainty' is a part of 'uncertainty', and is more than that")
        }
    }
}

extension Scalar<MeasurementID> {
    static var measurementID: Scalar {
        Scalar { text throws(ScalarFault) in
            guard let id = MeasurementID(text) else {
                throw ScalarFault("'\(text.excerpt)' is not the id of a measurement, a UUID of version 7")
            }
            return id
        }
    }
}

extension Scalar<CalendarDay> {
    static var calendarDay: Scalar {
        Scalar { text throws(ScalarFault) in
            guard let day = CalendarDay(text) else {
                throw ScalarFault("'\(text.excerpt)' is not a day such as 2026-11-30")
            }
            return day
        }
    }
}

extension Scalar<MaxPhotoDimensions> {
    static var maxPhotoDimensions: Scalar {
        Scalar { text throws(ScalarFault) in
            if text == "largest" { return .largest }
            guard let size = PixelSize(text) else {
                throw ScalarFault("'\(text.excerpt)' is neither largest nor a size such as 2560x1440")
            }
            return .limit(size)
        }
    }
}

extension SceneChangeSettings {
    /// Reads the keys from the mapping of the device.
    init?(_ mapping: YAMLMapping) {
        let isWanted = mapping.read("sceneChange", .flag, default: false)
        let threshold = mapping.read(
            "sceneChangeThreshold", .integer(Self.thresholds), default: Self.defaultThreshold)
        guard isWanted else { return nil }
        self.init(threshold: threshold)
    }
}

extension Scalar<Orientation> {
    static var orientation: Scalar {
        Scalar { text throws(ScalarFault) in
            guard let degrees = Int(text), let orientation = Orientation(rawValue: degrees) else {
                throw ScalarFault("'\(text.excerpt)' is not 0, 90, 180 or 270")
            }
            return orientation
        }
    }
}
