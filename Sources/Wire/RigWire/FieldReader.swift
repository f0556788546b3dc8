public import CaptureModel
public import FoundationEssentials

/// Reads and checks the fields of one message from a peer, and names an invalid one.
///
/// Nothing from a peer passes unchecked: numbers have a range, texts a length and an alphabet, lists a length.
public struct FieldReader: Sendable {
    /// The message type, as in `proto/`.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    /// Returns a required field.
    /// - Parameter value: nil if the message does not have it.
    public func present<Value>(_ value: Value?, _ field: String) throws(WireError) -> Value {
        guard let value else {
            throw WireError(.missing, message: message, field: field, reason: "is required and absent")
        }
        return value
    }

    /// Returns a number within `range`.
    public func number(
        _ value: some FixedWidthInteger, _ field: String, in range: ClosedRange<Int64>
    ) throws(WireError) -> Int64 {
        guard let number = Int64(exactly: value), range.contains(number) else {
            throw invalid(field, "is \(value); allowed are \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a count that fits into a signed number.
    public func count(_ value: UInt64, _ field: String) throws(WireError) -> UInt64 {
        UInt64(try number(value, field, in: WireLimits.nonNegative))
    }

    /// Returns a list of at most `limit` elements.
    public func list<Element>(_ values: [Element], _ field: String, limit: Int) throws(WireError) -> [Element] {
        guard values.count <= limit else {
            throw invalid(field, "has \(values.count) entries; at most \(limit) are allowed")
        }
        return values
    }

    /// Returns a value of a closed set of words.
    public func word<Value: RawRepresentable & CaseIterable>(
        _ text: String, _ field: String, as type: Value.Type
    ) throws(WireError) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: text) else {
            let allowed = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw invalid(field, "is '\(text.sentence(limit: WireLimits.wordByteCount))'; allowed are \(allowed)")
        }
        return value
    }

    /// Returns a value of an open set of words: 1 to 64 bytes without spaces and characters that are not printable.
    public func word(_ text: String, _ field: String) throws(WireError) -> String {
        guard text.isWord else {
            throw invalid(
                field,
                "must have 1 to \(WireLimits.wordByteCount) bytes without spaces and characters that are not printable")
        }
        return text
    }

    /// Returns the error of one field.
    public func invalid(_ field: String, _ reason: String) -> WireError {
        WireError(.invalid, message: message, field: field, reason: reason)
    }
}

extension FieldReader {
    /// Returns the name of a node or device.
    public func name<Subject>(_ text: String, _ field: String) throws(WireError) -> Name<Subject> {
        do {
            return try Name(text)
        } catch {
            throw invalid(field, "must be 1 to 24 of a-z, 0-9, '-' and '_', starting with a letter or digit")
        }
    }

    /// Returns a shot's id from its 16 bytes.
    public func shotID(_ bytes: Data, _ field: String = "shot_id") throws(WireError) -> ShotID {
        guard let id = ShotID(bytes: bytes) else {
            throw invalid(field, "must be the 16 bytes of a UUIDv7, and has \(bytes.count)")
        }
        return id
    }

    /// Returns the id of a settings transaction from its 16 bytes.
    public func settingsID(_ bytes: Data, _ field: String = "settings_id") throws(WireError) -> SettingsID {
        guard let id = SettingsID(bytes: bytes) else {
            throw invalid(field, "must be the 16 bytes of a UUIDv7, and has \(bytes.count)")
        }
        return id
    }

    /// Returns the id of a measurement of cameras from its 16 bytes.
    func measurementID(_ bytes: Data, _ field: String = "measurement_id") throws(WireError) -> MeasurementID {
        guard let id = MeasurementID(bytes: bytes) else {
            throw invalid(field, "must be the 16 bytes of a UUIDv7, and has \(bytes.count)")
        }
        return id
    }

    /// Returns a run of settings; nil if the field is empty.
    public func settingsRunID(_ bytes: Data, _ field: String) throws(WireError) -> SettingsRunID? {
        guard !bytes.isEmpty else { return nil }
        return SettingsRunID(try settingsID(bytes, field).uuid)
    }

    /// Returns settings from their text.
    public func anySettings(_ text: String, _ field: String) throws(WireError) -> CaptureSettings {
        do throws(SettingsTextError) {
            return try CaptureSettings(parsing: text)
        } catch {
            throw invalid(field, "\(error)")
        }
    }

    /// Returns settings from their text, which has at least one entry.
    public func settings(_ text: String, _ field: String = "settings") throws(WireError) -> CaptureSettings {
        let settings = try anySettings(text, field)
        guard !settings.entries.isEmpty else { throw invalid(field, "has no entry; at least one is required") }
        return settings
    }

    /// Returns the name of a profile.
    public func profileName(_ text: String, _ field: String = "name") throws(WireError) -> ProfileName {
        guard let name = ProfileName(text) else { throw invalid(field, "must be \(ProfileName.rule)") }
        return name
    }

    /// Returns the make or model of hardware as it may be shown; nil if the field is empty.
    func hardware(_ text: String) -> String? {
        text.isEmpty ? nil : text.sentence(limit: WireLimits.hardwareByteCount)
    }

    /// Returns the address of a page, which a person is shown as it is: printable ASCII without spaces.
    public func webAddress(_ text: String, _ field: String) throws(WireError) -> String {
        let schemes = ["http://", "https://"]
        guard (1...WireLimits.webAddressByteCount).contains(text.utf8.count), schemes.contains(where: text.hasPrefix),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw invalid(
                field, "must be an http or https address of at most \(WireLimits.webAddressByteCount) ASCII characters")
        }
        return text
    }

    /// Returns an epoch; 0 is invalid.
    public func epoch(_ value: UInt64, _ field: String = "epoch") throws(WireError) -> Epoch {
        guard let epoch = Epoch(rawValue: value) else { throw invalid(field, "must not be 0") }
        return epoch
    }

    /// Returns the id of a rig time line: a word.
    public func rigClockID(_ text: String, _ field: String = "rig_clock_id") throws(WireError) -> RigClockID {
        RigClockID(rawValue: try word(text, field))
    }

    /// Returns an orientation from its angle in degrees.
    func orientation(_ degrees: UInt32, _ field: String = "orientation_degrees") throws(WireError) -> Orientation {
        guard let orientation = Orientation(rawValue: Int(degrees)) else {
            throw invalid(field, "is \(degrees); allowed are 0, 90, 180 and 270")
        }
        return orientation
    }
}

extension String {
    /// Returns the text in a form that is safe to display: at most `limit` bytes of UTF-8, with U+FFFD for what is not
    /// printable and could otherwise control a terminal or a page. Line feeds and tabs stay.
    ///
    /// A text for people is sanitized instead of refused, because its message, such as the loss of a capture, must arrive.
    public func sentence(limit: Int) -> String {
        var result = ""
        var byteCount = 0
        for scalar in unicodeScalars {
            let harmless = scalar.isUnprintable && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar
            byteCount += UTF8.width(harmless)
            guard byteCount <= limit else { break }
            result.unicodeScalars.append(harmless)
        }
        return result
    }
}
