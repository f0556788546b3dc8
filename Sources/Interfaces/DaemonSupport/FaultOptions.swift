public import ArgumentParser
import CaptureModel
import FaultPoints
import Logging

/// Options by which a test makes a daemon fail. No configuration file and no environment variable can do it.
public struct FaultOptions: ParsableArguments {
    @Flag(
        help: "Print the points at which a test can make this daemon fail, with what it can make happen there, and end."
    )
    public var listFaults = false

    @Option(help: ArgumentHelp("A fault for a test.", visibility: .hidden))
    var fault: [String] = []

    @Option(
        help: ArgumentHelp("File to write to which points were reached and which faults struck.", visibility: .hidden))
    var faultReport: String?

    public init() {}

    /// Asks for the faults that are given, and warns of them; without any it does nothing. Call it before the daemon's
    /// service is made.
    /// - Throws: Where one cannot be, or the report cannot be opened.
    func arm(_ catalogue: FaultCatalogue, clock: any TimeSource, log: Logger) throws {
        guard !fault.isEmpty || faultReport != nil else { return }
        let rules = try catalogue.rules(fault)
        Faults.arm(rules, report: try faultReport.map { try FaultReport(path: $0) }, clock: clock)
        log.warning("this daemon fails on purpose, for a test", metadata: ["faults": "\(fault)"])
    }
}
