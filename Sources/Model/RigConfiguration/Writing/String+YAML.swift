extension String {
    /// The text as a double-quoted YAML scalar: what a device says of itself may hold anything.
    public var quotedForYAML: String {
        let escaped = unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": return "\\\""
            case "\\": return "\\\\"
            case _ where scalar.properties.generalCategory == .control && scalar.value < 0x100:
                let digits = String(scalar.value, radix: 16)
                return "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: return String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
