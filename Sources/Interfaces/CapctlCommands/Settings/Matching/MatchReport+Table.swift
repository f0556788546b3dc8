internal import CameraSettings
internal import CaptureModel
internal import RigDocuments
internal import RigMatching

/// What has become of `settings match` or `settings lock`, for people and programs.
extension MatchReport: Report {
    var status: CommandStatus {
        if matchedCount == cameras.count { return .complete }
        return matchedCount == 0 ? .failed : .partial
    }

    var document: SettingsMatchDocument { SettingsMatchDocument(self) }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("OUTCOME"), .init("STEPS", .right, dropped: 2),
            .init("BEFORE R G B", dropped: 1), .init("AFTER R G B"), .init("LIGHT", dropped: 3),
            .init("PROBLEM", .left, .wrap(20)),
        ]
        let rows = cameras.map { match in
            [
                "\(match.device)", match.word, "\(match.iterations)", deviations(match, match.before),
                deviations(match, match.after), match.after.map { Self.text($0.linearization) } ?? "-",
                match.reason ?? "",
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout) + summary
    }

    private func deviations(_ match: MatchResult, _ measurement: PictureMeasurement?) -> String {
        guard let residual = match.residual(of: measurement) else { return "-" }
        return residual.map { ($0 < 0 ? "-" : "+") + MatchMachine.percent(abs($0)) }.joined(separator: " ")
    }

    private static func text(_ linearization: PictureMeasurement.Linearization) -> String {
        switch linearization {
        case .raw: "RAW"
        case .measured: "measured tone curve"
        case .assumedSRGB: "sRGB assumed"
        }
    }

    private var summary: String {
        let word = isLock ? "locked" : "matched"
        var lines = ["\(matchedCount) of \(cameras.count) \(word) within \(MatchMachine.percent(tolerance))"]
        if let reference { lines[0] += ", reference \(reference.device)" }
        if let lightChange, abs(lightChange) > tolerance / 2 {
            lines.append(
                "the light at the reference has changed by \(MatchMachine.percent(abs(lightChange))) since the start")
        }
        let means = Set(all.compactMap { $0.after?.linearization })
        if means.count > 1 {
            lines.append("the cameras' light was computed in different ways, so that their deviations are less certain")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
