internal import ArgumentParser
internal import CaptureModel

extension ValidationError {
    /// A mistake in the document that options make, in the words of these options.
    init(_ error: InvalidDocument) {
        guard let member = Self.member(at: error.path) else {
            self.init("\(error).")
            return
        }
        let reason = error.reason.replacing(/'(\w+)'/) { Self.option(of: $0.output.1) }
        let unit = member.hasSuffix("Nanoseconds") ? " (nanoseconds)" : ""
        self.init("\(Self.option(of: member)) \(reason)\(unit).")
    }

    /// The last name in a path that an option stands for.
    private static func member(at path: String) -> Substring? {
        path.split(separator: ".").map { $0.prefix { $0 != "[" } }.last { name in
            !["selection", "settings", "movie", "_0"].contains(name)
        }
    }

    private static func option(of member: Substring) -> String {
        let name =
            switch member {
            case "embedThumbnail": "thumbnail"
            case "maxPhotoDimensions", "width", "height": "max-dimensions"
            case "livePhoto": "live"
            case "longerSide": "raw-thumbnail"
            case "exposureNanoseconds", "gain": "bracket"
            case "nodes", "devices", "labels": String(member.dropLast())
            case "matching", "first": "type"
            case "absolute", "realtimeNanoseconds": "at"
            case "maxRecordedDurationNanoseconds": "max-duration"
            case "maxRecordedFileSize": "max-size"
            case "minFreeDiskSpaceLimit": "min-free"
            case "segmentDurationNanoseconds": "segment"
            case "segmentFileSize": "segment-size"
            case "maxSkewNanoseconds": "max-skew"
            case "maxBoundNanoseconds": "max-bound"
            default: hyphenated(member)
            }
        return "--\(name)"
    }

    /// `motion-photo` for `motionPhoto`, as options are named.
    private static func hyphenated(_ member: Substring) -> String {
        member.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
    }
}

extension ValidatedDocument {
    /// Checks the document that options make.
    /// - Throws: `ValidationError`.
    func validateOptions() throws {
        do throws(InvalidDocument) {
            try validate()
        } catch {
            throw ValidationError(error)
        }
    }
}
