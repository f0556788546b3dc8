/// How much of the time tasks wait for a resource of the machine: the kernel's pressure stall information
/// (Documentation/accounting/psi.rst), averaged over the last ten seconds.
public struct StallInformation: Hashable, Sendable {
    /// Percent of the time in which at least one task waits.
    public var some: Double
    /// Percent of the time in which every task that has something to do waits; nil where the kernel does not say.
    public var full: Double?

    public init(some: Double, full: Double? = nil) {
        self.some = some
        self.full = full
    }

    /// The content of `/proc/pressure/cpu`, `memory` or `io`; nil where it is something else.
    ///
    ///     some avg10=0.00 avg60=0.00 avg300=0.00 total=0
    ///     full avg10=0.00 avg60=0.00 avg300=0.00 total=0
    public init?(_ text: String) {
        var averages: [Substring: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let kind = words.first else { continue }
            averages[kind] = words.compactMap(Self.percent).first
        }
        guard let some = averages["some"] else { return nil }
        self.init(some: some, full: averages["full"])
    }

    private static func percent(_ word: Substring) -> Double? {
        guard word.hasPrefix("avg10="), let value = Double(word.dropFirst(6)) else { return nil }
        return (0...100).contains(value) ? value : nil
    }

    /// Reads a file of `/proc/pressure`; does not wait for anything.
    /// - Returns: nil where the kernel does not tell, or not in this form.
    public static func read(_ resource: String, in folder: String) -> StallInformation? {
        KernelText.read("\(folder)/\(resource)").flatMap { StallInformation($0) }
    }
}
