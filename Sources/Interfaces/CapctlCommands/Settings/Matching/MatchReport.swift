internal import CameraSettings
internal import CaptureModel
internal import RigDocuments

/// What has become of `settings match` or `settings lock`, for people and programs.
struct MatchReport: Report {
    enum Kind: String { case match, lock }

    var kind: Kind
    var tolerance: Double
    var region: PictureRegion
    /// In linear light; nil for a lock, in which each camera has its own.
    var target: ColourMean?
    var reference: MatchResult?
    /// The reference, measured again at the end: whether the light has changed meanwhile.
    var referenceAfter: PictureMeasurement?
    var cameras: [MatchResult] = []

    init(kind: Kind, tolerance: Double, region: PictureRegion) {
        (self.kind, self.tolerance, self.region) = (kind, tolerance, region)
    }

    var all: [MatchResult] { [reference].compactMap(\.self) + cameras.filter { $0.device != reference?.device } }

    var status: CommandStatus {
        let good = cameras.count(where: \.isMatched)
        if good == cameras.count { return .complete }
        return good == 0 ? .failed : .partial
    }

    /// How much the light at the reference has changed.
    var lightChange: Double? {
        guard let referenceAfter, let before = reference?.after else { return nil }
        return MatchMachine.deviations(of: referenceAfter.linear, from: before.linear).max { abs($0) < abs($1) }
    }

    var document: SettingsMatchDocument {
        var document = SettingsMatchDocument(
            kind: kind.rawValue, tolerance: tolerance,
            region: [region.x, region.y, region.width, region.height].map { ($0 * 10_000).rounded() / 10_000 },
            cameras: cameras.map(Self.document))
        document.target = target.map { SettingsMatchDocument.Colour($0) }
        document.reference = reference.map(Self.document)
        document.lightChange = lightChange.map { ($0 * 10_000).rounded() / 10_000 }
        return document
    }

    private static func document(_ match: MatchResult) -> SettingsMatchDocument.Camera {
        var camera = SettingsMatchDocument.Camera(
            device: match.device.description, outcome: match.word, iterations: match.iterations,
            settings: match.settings)
        camera.reason = match.reason
        camera.before = match.before.map { .init($0, residual: match.residual(of: $0)) }
        camera.after = match.after.map { .init($0, residual: match.residual(of: $0)) }
        camera.steady = match.isSteady
        camera.steadyAfterNanoseconds = match.steadyAfter.map { Integer64($0.nanoseconds) }
        return camera
    }

    var table: String {
        let columns: [Table.Column] = [
            .init("CAMERA"), .init("OUTCOME"), .init("STEPS", .right), .init("BEFORE R G B"), .init("AFTER R G B"),
            .init("LIGHT"), .init("PROBLEM"),
        ]
        let rows = cameras.map { match in
            [
                "\(match.device)", match.word, "\(match.iterations)", deviations(match, match.before),
                deviations(match, match.after), match.after.map { Self.text($0.linearization) } ?? "-",
                match.reason ?? "",
            ]
        }
        return Table(columns: columns, rows: rows).rendered() + summary
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
        let good = cameras.count(where: \.isMatched)
        let word = kind == .match ? "matched" : "locked"
        var lines = ["\(good) of \(cameras.count) \(word) within \(MatchMachine.percent(tolerance))"]
        if let reference { lines[0] += ", reference \(reference.device)" }
        if let lightChange, abs(lightChange) > tolerance / 2 {
            lines.append(
                "the light at the reference has changed by \(MatchMachine.percent(abs(lightChange))) meanwhile")
        }
        let means = Set(all.compactMap { $0.after?.linearization })
        if means.count > 1 {
            lines.append("the cameras' light was computed in different ways, so that their deviations are less certain")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension MatchResult {
    var word: String {
        switch outcome {
        case .matched: isSteady == nil ? "matched" : "locked"
        case .notConverged: "notConverged"
        case .refused: isSteady == false ? "notSteady" : "refused"
        }
    }

    var reason: String? {
        switch outcome {
        case .matched: nil
        case .notConverged(let reason), .refused(let reason): reason
        }
    }
}
