package import RigConfiguration

/// An entry of a camera's own configuration, in the camera's words, such as `Gamma` and `0.8`, that is set when the camera is opened.
public struct OpeningSetting: Hashable, Sendable {
    public var name: String
    public var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }

    /// The limits of what a configuration may say.
    private enum Limits {
        static let entries = 64
        static let nameByteCount = 64
        static let valueByteCount = 256
    }

    /// Reads the key `settings` of a source, if it is there, whose keys are the camera's.
    /// - Parameters:
    ///   - isName: Whether a camera can have an entry of this name.
    ///   - refusal: What is said of a name that it cannot have.
    package static func read(
        from source: YAMLMapping, named isName: (String) -> Bool, otherwise refusal: String
    ) -> [OpeningSetting] {
        guard let mapping = source.mapping("settings") else { return [] }
        guard mapping.names.count <= Limits.entries else {
            mapping.report(.badValue, "has more than \(Limits.entries) entries")
            return []
        }
        return mapping.names.compactMap { name in
            guard let value = mapping.value(name) else { return nil }
            guard isName(name), name.utf8.count <= Limits.nameByteCount else {
                value.report(.badValue, refusal)
                return nil
            }
            return value.scalar(.text(limit: Limits.valueByteCount)).map { OpeningSetting(name: name, value: $0) }
        }
    }
}

extension [OpeningSetting] {
    package func write(to source: inout MappingBuilder) {
        source.add("settings") { mapping in
            for setting in self { mapping.add(setting.name, text: setting.value) }
        }
    }
}
