import ArgumentParser
internal import CaptureModel
internal import RigDocuments

/// The requested raw files, as flags.
enum RawOption: EnumerableFlag {
    case raw, rawAndJPEG

    static func name(for value: Self) -> NameSpecification {
        switch value {
        case .raw: .customLong("raw")
        case .rawAndJPEG: .customLong("raw+jpeg")
        }
    }

    /// - Parameter isRequired: Whether to refuse a camera without RAW that could take only the photo.
    func photo(isRequired: Bool) -> RawPhoto {
        switch self {
        case .raw: .only
        case .rawAndJPEG: isRequired ? .withPhoto : .withPhotoWhereEnabled
        }
    }
}

extension BracketStep {
    /// Reads `8ms`, `8ms@10` or `@10`: exposure time and gain.
    init?(commandLine text: Substring) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        var step = BracketStep()
        if let exposure = parts.first, !exposure.isEmpty {
            guard let duration = Duration(commandLine: String(exposure)),
                Self.exposures.contains(duration.nanoseconds)
            else { return nil }
            step.exposureNanoseconds = duration.nanoseconds
        }
        if parts.count == 2 {
            guard let gain = Int32(parts[1]) else { return nil }
            step.gain = Int64(gain)
        }
        guard step != BracketStep() else { return nil }
        self = step
    }
}

extension RequestedTime {
    /// Parses `--at`: `+250ms` and `-0.5s` are relative to the coordinator's receipt, anything else is an RFC 3339
    /// date.
    init?(commandLine text: String) {
        if text.hasPrefix("+") || text.hasPrefix("-") {
            guard let offset = Duration(commandLine: text) else { return nil }
            self = .relative(nanoseconds: offset.nanoseconds)
        } else {
            guard let realtime = RFC3339.realtimeNanoseconds(text), realtime >= 0 else { return nil }
            self = .absolute(realtimeNanoseconds: realtime)
        }
    }
}
