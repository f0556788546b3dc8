/// Names of a recording's files in its folder.
enum RecordingNames {
    private static let unfinished = ".recording.mov"

    /// The stem of a file's names: `left-001`.
    static func stem(_ name: String, segment: Int) -> String {
        let digits = String(segment)
        return "\(name)-\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits)"
    }

    /// The fragmented movie, while it is recorded and until it is finished.
    static func recording(_ stem: String) -> String { stem + unfinished }

    /// The finished movie.
    static func movie(_ stem: String) -> String { stem + ".mov" }

    /// What is said of each frame.
    static func sidecar(_ stem: String) -> String { stem + ".frames.jsonl" }
}
