internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl shots verify`.
struct ShotsVerifyCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Hash the stored files of shots again and compare them with the manifests.",
        discussion: "Ends with 0 when every file of every shot is as its manifest says, else with 4.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The shots' ids.", transform: ShotID.argument)
    var shots: [ShotID]

    func perform(_ console: Console) async throws -> CommandStatus {
        let verifications = try await source.withSource { source in
            var verifications: [Verification] = []
            for shot in shots { verifications.append(try await source.verify(shot)) }
            return verifications
        }
        console.write(try VerificationReport(verifications: verifications).rendered(as: output.format))
        return verifications.allSatisfy(\.isSound) ? .complete : .failed
    }
}

/// What hashing has found.
struct VerificationReport: Report {
    var verifications: [Verification]

    var document: [String: [Verification]] { ["verifications": verifications] }

    var table: String {
        let rows = verifications.flatMap { verification in
            verification.files.map { [verification.shot.description, $0.finding.rawValue, $0.path] }
        }
        return Table(columns: [.init("SHOT"), .init("FINDING"), .init("FILE")], rows: rows).rendered()
    }
}
