extension CoordinatorConfiguration {
    /// The configuration as a file that parses back to the same value, every default but the state's folder spelled out.
    /// - Throws: What the YAML library says when memory runs out.
    public func yaml() throws -> String {
        try MappingBuilder.text { file in
            file.add("library") { mapping in
                mapping.add("folder", text: library.folder)
                mapping.add("previews", plain: library.previews)
            }
            file.add("state") { $0.add("folder", text: state.folder) }
            file.add("listen") { mapping in
                mapping.add("host", text: listen.host)
                mapping.add("basePort", plain: listen.basePort)
            }
            file.add("collect") { $0.add("rate", plain: collect.rate) }
            file.add("trigger") { mapping in
                mapping.add("timeout", plain: trigger.timeout.configurationText)
                mapping.add("maximumAhead", plain: trigger.maximumAhead.configurationText)
            }
        }
    }
}
