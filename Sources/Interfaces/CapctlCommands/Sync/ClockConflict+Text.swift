internal import CaptureModel
internal import RigDocuments

extension ClockConflict {
    /// A sentence without full stop: what contradicts the probes, and by how much.
    var summary: String {
        let difference = (claimed.offset - proven.offset).magnitude.fineText
        return "\(reference.text) contradicts the probes and is not used: the two differ by \(difference), "
            + "± \(claimed.bound.fineText) and ± \(proven.bound.fineText)"
    }
}

extension ClockReference {
    fileprivate var text: String {
        switch source {
        case .ptp: "PTP (grandmaster \(identity))"
        case .ntp: "NTP"
        }
    }
}

extension ClockReference.Source {
    /// The command that shows what it says.
    var question: String {
        switch self {
        case .ptp: "pmc -u -b 0 'GET TIME_STATUS_NP'"
        case .ntp: "chronyc tracking"
        }
    }
}
