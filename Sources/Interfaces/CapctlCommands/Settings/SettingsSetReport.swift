internal import CaptureModel
internal import RigDocuments

/// What has become of a settings transaction, for people.
struct SettingsSetReport: Report {
    var report: SettingsReport
    /// How settings read in a table that is not wide.
    var words = SettingWords()

    var document: SettingsReportDocument { SettingsReportDocument(report) }

    /// Complete if every camera has the settings, failed if none has or will have them.
    var status: CommandStatus {
        let having = report.cameras.count(where: hasSettings)
        if having == 0, report.outcomeCounts[.deferred] == nil { return .failed }
        return having == report.cameras.count ? .complete : .partial
    }

    private func hasSettings(_ camera: CameraSettingsReport) -> Bool {
        // An undo has dropped what waited for the camera's start.
        camera.outcome.effect != nil
            || report.undoes != nil && camera.outcome.word == .undone && camera.entries.isEmpty
    }

    /// The transaction exists, and can be undone, whatever its cameras have set.
    var names: [String]? { ["\(report.id)"] }
    var failures: [String] {
        report.cameras.filter { !hasSettings($0) }.map { camera in
            let refusals = camera.entries.compactMap { outcome in
                if case .refused(let reason) = outcome.result { "\(outcome.entry): \(reason)" } else { nil }
            }
            let reasons = [camera.outcome.problem?.message].compactMap(\.self) + refusals
            return "\(camera.device): "
                + ([camera.outcome.word.rawValue] + reasons.map { "\($0)" }).joined(separator: ": ")
        }
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("OUTCOME"), .init("ENTRY", .left, .end(8)),
            .init("VALUE", .left, .wrap(8)), .init("IN PICTURES", .left, .wrap(16)), .init("PROBLEM", .left, .wrap(12)),
        ]
        return Table(columns: columns, rows: report.cameras.flatMap { rows($0, layout) }).rendered(layout) + notes
            + summary(layout)
    }

    private func rows(_ camera: CameraSettingsReport, _ layout: TextLayout) -> [[String]] {
        let entries = camera.entries.map { cells($0, of: camera.device, layout) }
        let lines = entries.isEmpty ? [["-", "-", ""]] : entries
        return lines.enumerated().map { index, entry in
            let isFirst = index == 0
            let reason = entry[2].isEmpty && isFirst ? camera.outcome.problem?.message ?? "" : entry[2]
            return [
                isFirst ? "\(camera.device)" : "", isFirst ? camera.outcome.word.rawValue : "", entry[0], entry[1],
                isFirst ? effect(of: camera) : "", reason,
            ]
        }
    }

    /// The entry, the value that the camera has, and why it refused.
    private func cells(_ outcome: SettingOutcome, of device: DeviceID, _ layout: TextLayout) -> [String] {
        func named(_ value: SettingValue?) -> (String, String) {
            if layout.isWide { return ("\(outcome.entry)", value.map { "\($0)" } ?? "-") }
            let (name, text) = words.cells(of: outcome.entry, value, for: device)
            return (name, text ?? "-")
        }
        switch outcome.result {
        case .set(let value): return [named(value).0, named(value).1, ""]
        case .rounded(let value): return [named(value).0, "\(named(value).1) (rounded)", ""]
        case .refused(let reason): return [named(nil).0, named(nil).1, reason]
        }
    }

    /// When the settings came into the pictures, relative to T.
    private func effect(of camera: CameraSettingsReport) -> String {
        guard let effect = camera.outcome.effect, let time = report.time else { return "-" }
        let change = effect.change
        guard let first = change.firstNew else { return "accepted \(offset(effect.accepted, time)), then not known" }
        let from = "from frame \(first.sequence), \(offset(first.midExposure, time))"
        switch change.evidence {
        case .unchanged: return "had them before"
        case .metadata, .pixels, .status, .calibrated, .unknown: return "\(from) (\(change.evidence.rawValue))"
        }
    }

    private func offset(_ instant: BoundedRigTime, _ time: RigTime) -> String {
        "T \((instant.time - time).signedText) ± \(instant.bound.shortText)"
    }

    /// Remarks on what else has changed, each with its cameras.
    private var notes: String {
        var cameras: [(note: String, devices: [DeviceID])] = []
        for camera in report.cameras where camera.outcome.effect != nil {
            for note in camera.notes {
                if let index = cameras.firstIndex(where: { $0.note == note }) {
                    cameras[index].devices.append(camera.device)
                } else {
                    cameras.append((note, [camera.device]))
                }
            }
        }
        return cameras.map { "\(Table.printable($0.note)): \($0.devices.map(\.description).joined(separator: ", "))\n" }
            .joined()
    }

    private func summary(_ layout: TextLayout) -> String {
        let counts = report.outcomeCounts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", ")
        let time = report.realtimeNanoseconds.map { ", T \(layout.time($0))" } ?? ""
        let remark = report.leftOut.map { "\($0)\n" } ?? ""
        let origin =
            (report.profile.map { ", profile \($0)" } ?? "")
            + (report.undoesRun.map { ", undoes run \($0)" } ?? report.undoes.map { ", undoes \($0)" } ?? "")
        return "settings \(report.id): \(counts)\(time)\(origin)\n" + remark
    }
}
