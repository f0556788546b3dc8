import CaptureModel
import Yams

extension MicrophoneConfiguration {
    /// The microphones of a node; problems where two have one name or are one microphone.
    static func list(_ value: YAMLValue) -> [MicrophoneConfiguration] {
        var microphones: [MicrophoneConfiguration] = []
        for value in value.list(limit: DeviceConfiguration.maximumCount) ?? [] {
            guard let microphone = value.mapping().flatMap({ MicrophoneConfiguration($0) }) else { continue }
            report(microphone, among: microphones, value)
            microphones.append(microphone)
        }
        return microphones
    }

    private static func report(_ microphone: Self, among others: [Self], _ value: YAMLValue) {
        if others.contains(where: { $0.name == microphone.name }) {
            value.report(.duplicate, "two microphones have the name '\(microphone.name)'; names are unique on a node")
        }
        guard case .alsa = microphone.source, microphone.enabled else { return }
        if let other = others.first(where: { $0.enabled && $0.source == microphone.source }) {
            value.report(.duplicate, "'\(other.name)' and '\(microphone.name)' are the same microphone")
        }
    }

    private init?(_ mapping: YAMLMapping) {
        let name: DeviceName? = mapping.required("name")?.scalar(.name())
        let position = mapping.read("position", .word, default: Position.unspecified.rawValue)
        let labels = mapping.value("labels")?.list(limit: 32)?.compactMap { $0.scalar(.word) } ?? []
        let purpose = mapping.required("purpose")?.scalar(.text(limit: 256))
        let enabled = mapping.read("enabled", .flag, default: true)
        let source = mapping.required("source")?.mapping().flatMap { MicrophoneSource($0) }
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

    var node: Node {
        MappingBuilder.node { microphone in
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

extension MicrophoneSource {
    init?(_ mapping: YAMLMapping) {
        let alsa = mapping.value("alsa")
        let virtual = mapping.value("virtual")
        mapping.finish()
        switch (alsa, virtual) {
        case (let value?, nil):
            guard let device = value.scalar(.text(limit: 128)) else { return nil }
            self = .alsa(device: device)
        case (nil, let value?):
            guard let source = value.mapping().map(VirtualMicrophoneConfiguration.init) else { return nil }
            self = .virtual(source)
        default:
            mapping.report(.badValue, "needs exactly one of 'alsa' and 'virtual'")
            return nil
        }
    }

    func write(_ mapping: inout MappingBuilder) {
        switch self {
        case .alsa(let device): mapping.add("alsa", text: device)
        case .virtual(let source): mapping.add("virtual") { source.write(&$0) }
        }
    }
}
