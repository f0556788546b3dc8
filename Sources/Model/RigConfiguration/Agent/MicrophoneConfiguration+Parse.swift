import CaptureModel

extension MicrophoneConfiguration {
    /// The microphones of a node; problems where two have one name or are one microphone.
    /// - Parameter sources: What a source may be.
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
