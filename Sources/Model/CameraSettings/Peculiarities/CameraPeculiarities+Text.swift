extension CameraPeculiarities {
    /// Returns the text of a file about measured delays, as ``init(parsing:file:)`` reads it.
    /// - Parameter source: How they were measured.
    public static func text(of match: CameraMatch, _ delays: [String: FrameDelay], source: String) -> String {
        var lines = [
            ("make", match.make), ("model", match.model), ("firmware", match.firmware), ("format", match.format),
        ]
        .compactMap { key, value in value.map { "\(key): \(quoted($0))" } }
        lines += ["source: \(quoted(source))", "controls:"]
        for (control, delay) in delays.sorted(by: { $0.key < $1.key }) {
            let middle = delay.middleThousandths.map { ", middle: \(decimal($0))" } ?? ""
            lines += [
                "  - name: \(control)",
                "    delayFrames: { fewest: \(delay.fewest), most: \(delay.most)\(middle) }",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    private static func decimal(_ thousandths: Int) -> String {
        let digits = "\(thousandths % 1000)"
        return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }
}
