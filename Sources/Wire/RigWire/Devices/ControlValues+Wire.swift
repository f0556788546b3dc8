public import RigProtocol

extension WireSetControls {
    /// The values asked for, checked.
    public func checked() throws(WireError) -> [String: Int64] {
        let reader = FieldReader("SetControls")
        guard !values.isEmpty, values.count <= WireLimits.controls else {
            throw reader.invalid("values", "has \(values.count) entries; 1 to \(WireLimits.controls) are allowed")
        }
        for name in values.keys { _ = try reader.word(name, "values") }
        return values
    }
}

extension WireControlValues {
    /// The values read back, checked.
    public func checked() throws(WireError) -> [String: Int64] {
        let reader = FieldReader("ControlValues")
        guard values.count <= WireLimits.controls else {
            throw reader.invalid("values", "has \(values.count) entries; at most \(WireLimits.controls) are allowed")
        }
        for name in values.keys { _ = try reader.word(name, "values") }
        return values
    }
}
