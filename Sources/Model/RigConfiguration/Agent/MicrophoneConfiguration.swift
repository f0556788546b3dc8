public import CaptureModel

/// One microphone of a node: its name, purpose, source and settings.
public struct MicrophoneConfiguration: Hashable, Sendable {
    public var name: DeviceName
    public var position: Position
    public var labels: [String]
    /// The purpose of the microphone in the rig.
    public var purpose: String
    /// Whether the agent may open it. A disabled microphone is not part of the rig.
    public var enabled: Bool
    public var source: DeviceSource
    /// Frames per second; nil lets the microphone choose.
    public var sampleRate: Int?
    /// nil lets the microphone choose.
    public var channels: Int?
    /// Added to every timestamp; negative for a microphone that delivers late.
    public var latencyOffset: Duration

    public init(
        name: DeviceName, position: Position = .unspecified, labels: [String] = [], purpose: String,
        enabled: Bool = true, source: DeviceSource, sampleRate: Int? = nil, channels: Int? = nil,
        latencyOffset: Duration = .zero
    ) {
        self.name = name
        self.position = position
        self.labels = labels
        self.purpose = purpose
        self.enabled = enabled
        self.source = source
        self.sampleRate = sampleRate
        self.channels = channels
        self.latencyOffset = latencyOffset
    }
}

/// Whether a camera's clips require sound.
public enum AudioPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// A clip without sound is silent and says so.
    case optional
    /// There is no clip without sound.
    case required
}

extension MicrophoneConfiguration {
    /// Reads the microphones of a node. Reports a problem if two have the same name or are the same microphone.
    /// - Parameter sources: The allowed kinds of sources.
    static func list(_ value: YAMLValue, _ sources: [any SourceConfiguration.Type]) -> [MicrophoneConfiguration] {
        var microphones: [MicrophoneConfiguration] = []
        for value in value.list(limit: DeviceConfiguration.maximumCount) ?? [] {
            guard let microphone = value.mapping().flatMap({ MicrophoneConfiguration($0, sources) }) else { continue }
            report(microphone, among: microphones, value)
            microphones.append(microphone)
        }
        return microphones
    }

    private static func report(_ microphone: Self, among others: [Self], _ value: YAMLValue) {
        if others.contains(where: { $0.name == microphone.name }) {
            value.report(.duplicate, "two microphones have the name '\(microphone.name)'; names are unique on a node")
        }
        guard microphone.enabled else { return }
        if let other = others.first(where: { $0.enabled && $0.source.isSameHardware(as: microphone.source) }) {
            value.report(.duplicate, "'\(other.name)' and '\(microphone.name)' are the same microphone")
        }
    }

    private init?(_ mapping: YAMLMapping, _ sources: [any SourceConfiguration.Type]) {
        let name: DeviceName? = mapping.required("name")?.scalar(.name())
        let position = mapping.read("position", .word, default: Position.unspecified.rawValue)
        let labels = mapping.value("labels")?.list(limit: 32)?.compactMap { $0.scalar(.word) } ?? []
        let purpose = mapping.required("purpose")?.scalar(.text(limit: 256))
        let enabled = mapping.read("enabled", .flag, default: true)
        let source = mapping.required("source")?.mapping().flatMap { DeviceSource($0, sources) }
        let sampleRate = mapping.value("sampleRate")?.scalar(.integer(AudioFormat.sampleRates))
        let channels = mapping.value("channels")?.scalar(.integer(AudioFormat.channelCounts))
        let latencyOffset = mapping.read(
            "latencyOffset", .duration(.seconds(-1) ... .seconds(1)), default: .zero)
        mapping.finish()
        guard let name, let purpose, let source else { return nil }
        self.init(
            name: name, position: Position(rawValue: position), labels: labels, purpose: purpose, enabled: enabled,
            source: source, sampleRate: sampleRate, channels: channels, latencyOffset: latencyOffset)
    }

    var written: WrittenValue {
        .mapping { microphone in
            microphone.add("name", plain: name)
            microphone.add("position", text: position.rawValue)
            microphone.add("labels", texts: labels)
            microphone.add("purpose", text: purpose)
            microphone.add("enabled", plain: enabled)
            microphone.add("source") { source.write(&$0) }
            microphone.add("sampleRate", plainIfPresent: sampleRate)
            microphone.add("channels", plainIfPresent: channels)
            microphone.add("latencyOffset", plain: latencyOffset.configurationText)
        }
    }
}

extension RawSettings {
    /// Reads the keys from the mapping of the device.
    init(_ mapping: YAMLMapping) {
        self.init()
        isEnabled = mapping.read("raw", .flag, default: false)
        compression = mapping.read("rawCompression", .oneOf(RawCompression.self), default: .lossless)
        colorMatrix = mapping.value("colorMatrix").flatMap(Self.matrix)
        asShotNeutral = mapping.value("asShotNeutral").flatMap { Self.numbers($0, count: 3, in: 0.001...1000) }
        blackLevel = mapping.value("blackLevel")?.scalar(.integer(0...UInt16.max))
        whiteLevel = mapping.value("whiteLevel")?.scalar(.integer(1...UInt16.max))
        if let blackLevel, let whiteLevel, blackLevel >= whiteLevel {
            mapping.report(.badValue, "blackLevel \(blackLevel) is not below whiteLevel \(whiteLevel)")
        }
    }

    func write(_ mapping: inout MappingBuilder) {
        mapping.add("raw", plain: isEnabled)
        mapping.add("rawCompression", plain: compression.rawValue)
        mapping.add("colorMatrix", plainsIfPresent: colorMatrix)
        mapping.add("asShotNeutral", plainsIfPresent: asShotNeutral)
        mapping.add("blackLevel", plainIfPresent: blackLevel)
        mapping.add("whiteLevel", plainIfPresent: whiteLevel)
    }

    private static func matrix(_ value: YAMLValue) -> [Double]? {
        guard let numbers = numbers(value, count: 9, in: -100...100) else { return nil }
        let products = (0..<3).map { column in
            let (next, last) = ((column + 1) % 3, (column + 2) % 3)
            return numbers[column] * (numbers[3 + next] * numbers[6 + last] - numbers[3 + last] * numbers[6 + next])
        }
        guard abs(products.reduce(0, +)) > 1e-6 else {
            value.report(.badValue, "cannot be inverted, so no colors can be made of it")
            return nil
        }
        return numbers
    }

    private static func numbers(_ value: YAMLValue, count: Int, in range: ClosedRange<Double>) -> [Double]? {
        guard let values = value.list(limit: count) else { return nil }
        guard values.count == count else {
            value.report(.badValue, "has \(values.count) numbers; \(count) are needed")
            return nil
        }
        let numbers = values.compactMap { $0.scalar(.number(range)) }
        return numbers.count == count ? numbers : nil
    }
}
