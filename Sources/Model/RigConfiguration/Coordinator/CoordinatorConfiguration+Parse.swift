extension CoordinatorConfiguration {
    /// The configuration in a file's text; every key has a default.
    /// - Parameter file: The name of the file, for the messages.
    /// - Throws: ``ConfigurationError`` with everything that is wrong, each with its line.
    public static func parse(text: String, file: String) throws(ConfigurationError) -> CoordinatorConfiguration {
        try YAMLDocument.parse(text, file: file) { mapping in CoordinatorConfiguration(mapping) }
    }

    private init(_ mapping: YAMLMapping) {
        self.init()
        if let mapping = mapping.mapping("library") {
            library.folder = mapping.read("folder", .path, default: library.folder)
            library.previews = mapping.read("previews", .flag, default: library.previews)
            mapping.finish()
        }
        if let mapping = mapping.mapping("state") {
            state.folder = mapping.value("folder")?.scalar(.path)
            mapping.finish()
        }
        if let mapping = mapping.mapping("listen") {
            listen.host = mapping.read("host", .host, default: listen.host)
            // Five ports in a row must exist.
            listen.basePort = mapping.read("basePort", .integer(0...65_531), default: listen.basePort)
            mapping.finish()
        }
        if let mapping = mapping.mapping("collect") {
            collect.rate = mapping.read("rate", .transferRate, default: collect.rate)
            mapping.finish()
        }
        if let mapping = mapping.mapping("trigger") {
            readTrigger(mapping)
        }
    }

    private mutating func readTrigger(_ mapping: YAMLMapping) {
        let timeout: ClosedRange<Duration> = .milliseconds(100) ... .seconds(86_400)
        trigger.timeout = mapping.read("timeout", .duration(timeout), default: trigger.timeout)
        let ahead: ClosedRange<Duration> = .milliseconds(100) ... .seconds(600)
        trigger.maximumAhead = mapping.read("maximumAhead", .duration(ahead), default: trigger.maximumAhead)
        mapping.finish()
    }
}
