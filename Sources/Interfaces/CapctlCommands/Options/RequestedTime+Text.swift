internal import CaptureModel

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
