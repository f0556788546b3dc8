internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl shots verify`.
struct ShotsVerifyCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Hash the stored files of shots again and compare them with the manifests.",
        discussion: """
            Ends with 0 when every file is as its manifest says, else with 4. With --all, a manifest that cannot be read, \
            a file that belongs to no shot, and one that was put aside since it arrived damaged, are findings too.
            """)

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Flag(help: "Every shot of the library, and what belongs to none. The table leaves out what is sound.")
    var all = false

    @Argument(help: "The shots' ids.", transform: ShotID.argument)
    var shots: [ShotID] = []

    func validate() throws {
        guard all != !shots.isEmpty else { throw ValidationError("Name shots by their ids, or say --all.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await source.withSource(console) { source in
            all
                ? try await LibraryAudit(source: source, console: console).run()
                : try await self.report(on: shots, source)
        }
        console.write(try report.rendered(as: output.format))
        return report.isSound ? .complete : .failed
    }

    private func report(on shots: [ShotID], _ source: any ShotSource) async throws -> VerificationReport {
        var report = VerificationReport()
        for shot in shots { report.verifications.append(try await source.verify(shot)) }
        return report
    }
}
