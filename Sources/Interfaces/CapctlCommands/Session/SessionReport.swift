internal import CaptureModel
internal import RigClient

/// How cameras stand after a command.
struct SessionReport: Report {
    var outcomes: [SessionOutcome]
    var leftOut: LeftOutDevices?

    var document: Document { Document(notConfigured: leftOut?.devices, sessions: outcomes.map(Session.init)) }

    var table: String {
        let columns: [Table.Column] = [.init("DEVICE"), .init("STATE"), .init("FORMAT"), .init("CHANGE OR REASON")]
        return Table(columns: columns, rows: outcomes.map(row)).rendered() + LeftOutDevices.remark(leftOut)
    }

    /// Complete where every camera did as it was told, failed where none did.
    var status: CommandStatus {
        let failures = outcomes.compactMap { outcome -> RigClientError? in
            if case .failure(let error) = outcome.result { error } else { nil }
        }
        guard let first = failures.first else { return .complete }
        return failures.count < outcomes.count ? .partial : CommandStatus(of: first)
    }

    private func row(_ outcome: SessionOutcome) -> [String] {
        switch outcome.result {
        case .success(let result):
            let notes = result.changes + [result.condition.reason].compactMap(\.self)
            return [
                outcome.device.description, result.condition.state.rawValue,
                result.condition.format?.description ?? "-", notes.joined(separator: "; "),
            ]
        case .failure(let error):
            return [outcome.device.description, "refused", "-", error.description]
        }
    }

    /// `--format json`.
    struct Document: Encodable {
        /// What was selected and left out, since its node does not configure it any more; absent where there is nothing.
        var notConfigured: [DeviceID]?
        var sessions: [Session]
    }

    /// A camera; optional members are absent where there is nothing to say.
    struct Session: Encodable {
        var changes: [String]?
        var condition: DeviceCondition?
        var device: DeviceID
        var problem: String?

        init(_ outcome: SessionOutcome) {
            device = outcome.device
            switch outcome.result {
            case .success(let result):
                condition = result.condition
                changes = result.changes.isEmpty ? nil : result.changes
            case .failure(let error):
                problem = error.description
            }
        }
    }
}
