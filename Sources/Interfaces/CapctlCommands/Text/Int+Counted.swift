extension Int {
    /// The number with its noun: `1 camera`, `2 cameras`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
