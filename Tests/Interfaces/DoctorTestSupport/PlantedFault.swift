public import Doctor

/// The facts of a machine or rig that lacks nothing, of which a test can spoil one.
public protocol HealthySample: Sendable {
    init() throws
    func examined() -> Examination
}

/// A fault, what must be found, and what the remedy must name.
public struct PlantedFault<Sample: HealthySample>: Sendable, CustomStringConvertible {
    public var code: Finding.Code
    public var severity: Finding.Severity
    public var remedy: String
    private let plant: @Sendable (inout Sample) -> Void

    public init(
        _ code: Finding.Code, _ severity: Finding.Severity, _ remedy: String,
        _ plant: @escaping @Sendable (inout Sample) -> Void
    ) {
        (self.code, self.severity, self.remedy, self.plant) = (code, severity, remedy, plant)
    }

    public var description: String { code.rawValue }

    /// What is found if this alone is wrong.
    public func examined() throws -> Examination {
        var sample = try Sample()
        plant(&sample)
        return sample.examined()
    }

    /// What is not as it must be; empty if the fault alone is found, with its severity and its remedy, in lines of 80 columns.
    public func mistakes() throws -> [String] {
        let examination = try examined()
        guard let finding = examination.findings.first, examination.findings.count == 1 else {
            return ["not found alone: \(examination.findings)"]
        }
        var mistakes: [String] = []
        if finding.code != code { mistakes.append("found as \(finding.code)") }
        if finding.severity != severity { mistakes.append("found as a \(finding.severity)") }
        if !finding.remedy.contains(remedy) { mistakes.append("remedy: \(finding.remedy)") }
        if examination.exitStatus != (severity == .problem ? 4 : 3) { mistakes.append("exit status") }
        return mistakes + examination.text.split(separator: "\n").filter { $0.count > 80 }.map { "wide: \($0)" }
    }
}
