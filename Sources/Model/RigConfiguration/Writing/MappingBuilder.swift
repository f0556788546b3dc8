import CaptureModel
import Yams

/// The builder of a mapping. Keys keep the order in which they are added.
public struct MappingBuilder {
    private var pairs: [(Node, Node)] = []

    var node: Node { Node(pairs, .implicit, .block) }

    init() {}

    private init(pairs: [(Node, Node)]) { self.pairs = pairs }

    /// Adds a value that is not free text and needs no quotes.
    public mutating func add(_ key: String, plain value: some CustomStringConvertible) {
        pairs.append((Node(key), Node(value.description, .implicit, .plain)))
    }

    public mutating func add(_ key: String, plainIfPresent value: (some CustomStringConvertible)?) {
        if let value { add(key, plain: value) }
    }

    /// Adds quoted text, so that no word is read as a number or null.
    public mutating func add(_ key: String, text value: String?) {
        guard let value else { return }
        add(key, .text(value))
    }

    public mutating func add(_ key: String, texts values: [String]) {
        pairs.append((Node(key), Node(values.map { WrittenValue.text($0).node }, .implicit, .flow)))
    }

    /// Adds a list on one line, of values that need no quotes.
    public mutating func add(_ key: String, plainsIfPresent values: [some CustomStringConvertible]?) {
        guard let values else { return }
        pairs.append((Node(key), Node(values.map { Node($0.description, .implicit, .plain) }, .implicit, .flow)))
    }

    public mutating func add(_ key: String, list values: [WrittenValue]) {
        pairs.append((Node(key), Node(values.map(\.node), .implicit, .block)))
    }

    public mutating func add(_ key: String, _ value: WrittenValue) {
        pairs.append((Node(key), value.node))
    }

    /// Adds a mapping, or nothing if the mapping is empty.
    public mutating func add(_ key: String, _ build: (inout MappingBuilder) -> Void) {
        let value = WrittenValue.mapping(build)
        guard value.node.mapping?.isEmpty == false else { return }
        add(key, value)
    }

    /// Every single value, by its key with the keys around it, such as `trigger.timeout`, in order. A list is one value.
    var flattened: [(key: String, value: String)] {
        pairs.flatMap { key, value -> [(key: String, value: String)] in
            let name = key.scalar?.string ?? ""
            guard let mapping = value.mapping else { return [(name, Self.text(of: value))] }
            return MappingBuilder(pairs: mapping.map { ($0.key, $0.value) }).flattened.map {
                ("\(name).\($0.key)", $0.value)
            }
        }
    }

    private static func text(of node: Node) -> String { node.scalar?.string ?? "\(node)" }

    /// Returns the text of a complete file.
    static func text(_ build: (inout MappingBuilder) -> Void) throws -> String {
        try serialize(node: WrittenValue.mapping(build).node, indent: 2, width: -1, allowUnicode: true)
    }
}

extension AgentConfiguration {
    /// Returns the configuration as a file that parses to an equal value, with every default written out.
    /// - Throws: The error of the YAML library if memory runs out.
    public func yaml() throws -> String {
        try MappingBuilder.text { file in
            file.add("node", plain: node)
            file.add("coordinator", plain: coordinator)
            file.add("spool") { spool.write(&$0) }
            if let keysFolder { file.add("keys") { $0.add("folder", text: keysFolder) } }
            file.add("ring") { mapping in
                mapping.add("depth", plain: ring.depth.configurationText)
                mapping.add("memory", plain: ring.memory)
            }
            file.add("frames") { frames.write(&$0) }
            file.add("recovery") { mapping in
                mapping.add("failures", plain: recovery.failures)
                mapping.add("goodPeriod", plain: recovery.goodPeriod.configurationText)
            }
            file.add("pressure") { pressure.write(&$0) }
            file.add("clock") { clock.write(&$0) }
            file.add("devices", list: devices.map(\.written))
            if !microphones.isEmpty { file.add("microphones", list: microphones.map(\.written)) }
        }
    }
}

extension AgentConfiguration.Spool {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("folder", text: folder)
        mapping.add("limit", plain: limit)
        mapping.add("reserve", plain: reserve)
    }
}

extension AgentConfiguration.Frames {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("enabled", plain: enabled)
        mapping.add("listen") { mapping in
            mapping.add("host", text: listen.host)
            mapping.add("port", plain: listen.port)
        }
        mapping.add("advertise", text: advertise)
        mapping.add("quality", plain: quality)
        mapping.add("preview") { mapping in
            mapping.add("width", plain: preview.width)
            mapping.add("height", plain: preview.height)
            mapping.add("gravity", plain: preview.gravity.rawValue)
        }
    }
}

extension DeviceConfiguration {
    var written: WrittenValue {
        .mapping { device in
            device.add("name", plain: name)
            device.add("type", text: type.rawValue)
            device.add("position", text: position.rawValue)
            device.add("labels", texts: labels)
            device.add("orientation", plain: orientation.rawValue)
            device.add("mirrored", plain: mirrored)
            device.add("purpose", text: purpose)
            device.add("enabled", plain: enabled)
            device.add("source") { source.write(&$0) }
            device.add("format") { format.write(&$0) }
            device.add("preset", plain: preset.rawValue)
            device.add("standby", plain: standby.rawValue)
            device.add("maxPhotoDimensions", plainIfPresent: maxPhotoDimensions?.description)
            device.add("quality", plain: quality)
            device.add("live", plain: live)
            device.add("align", plain: align)
            device.add("sceneChange", plain: sceneChange != nil)
            device.add(
                "sceneChangeThreshold", plain: sceneChange?.threshold ?? SceneChangeSettings.defaultThreshold)
            raw.write(&device)
            device.add("microphone", plainIfPresent: microphone)
            device.add("audio", plain: audio.rawValue)
            device.add("latencyOffset", plain: stamps.latencyOffset.configurationText)
            device.add("readout", plain: stamps.readout.configurationText)
            device.add("uncertainty", plainIfPresent: stamps.uncertainty?.configurationText)
            device.add("measuredExposure", plainIfPresent: stamps.measuredExposure?.configurationText)
            device.add("measuredFormat", text: stamps.measuredFormat)
            device.add("measuredOn", plainIfPresent: stamps.measuredOn?.description)
            device.add("measuredStamps", plainIfPresent: stamps.measuredStamps?.rawValue)
            device.add("measurement", plainIfPresent: stamps.sharedError?.measurement.description)
            device.add("sharedUncertainty", plainIfPresent: stamps.sharedError?.bound.configurationText)
        }
    }
}

extension FormatPreference {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("pixelFormat", plainIfPresent: pixelFormat?.rawValue)
        mapping.add("width", plainIfPresent: width)
        mapping.add("height", plainIfPresent: height)
        mapping.add("framesPerSecond", plainIfPresent: framesPerSecond)
    }
}

extension CoordinatorConfiguration {
    /// Returns the configuration as a file that parses to an equal value, with every default except the state's folder written out.
    /// - Throws: The error of the YAML library if memory runs out.
    public func yaml() throws -> String { try MappingBuilder.text { write(&$0) } }

    func write(_ file: inout MappingBuilder) {
        file.add("library") { mapping in
            mapping.add("folder", text: library.folder)
            mapping.add("previews", plain: library.previews)
            mapping.add("copy", text: library.copy)
            mapping.add("keep") { library.keep?.write(&$0) }
        }
        file.add("state") { $0.add("folder", text: state.folder) }
        if let rig { file.add("rig", plain: rig) }
        file.add("listen") { mapping in
            mapping.add("host", text: listen.host)
            mapping.add("basePort", plain: listen.basePort)
        }
        file.add("collect") { $0.add("rate", plain: collect.rate) }
        file.add("trigger") { mapping in
            mapping.add("timeout", plain: trigger.timeout.configurationText)
            mapping.add("maximumAhead", plain: trigger.maximumAhead.configurationText)
            mapping.add("maxSkew", plainIfPresent: trigger.timing?.maxSkew?.configurationText)
            mapping.add("maxBound", plainIfPresent: trigger.timing?.maxBound?.configurationText)
            mapping.add("onExcess", plainIfPresent: trigger.timing?.onExcess.rawValue)
        }
        file.add("audit") { $0.add("limit", plain: audit.limit) }
        file.add("clock") { clock.write(&$0) }
    }
}

extension String {
    /// The text as a double-quoted YAML scalar. Text that a device reports may contain any characters.
    public var quotedForYAML: String {
        let escaped = unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": return "\\\""
            case "\\": return "\\\\"
            case _ where scalar.isUnprintable: return scalar.shortEscape
            default: return String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}

extension CoordinatorConfiguration.Retention {
    fileprivate func write(_ mapping: inout MappingBuilder) {
        mapping.add("for", plainIfPresent: ageText)
        mapping.add("free", plainIfPresent: free)
        mapping.add("onlyCopies", plain: onlyCopies.rawValue)
    }
}
