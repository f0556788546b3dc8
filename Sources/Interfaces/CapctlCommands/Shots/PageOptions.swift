internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// Which part of a list: the newest, or what comes after a page before.
struct PageOptions: ParsableArguments {
    @Option(help: "At most so many.")
    var limit = 50

    @Option(help: "Only what is older than the one with this id.", transform: ShotID.argument)
    var before: ShotID?

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000.") }
    }

    /// The page, with a word to the console about manifests that cannot be read.
    func list(_ query: ShotQuery, from source: ShotSourceOptions, _ console: Console) async throws -> ShotList {
        let list = try await source.withSource(console) { try await $0.list(query, limit: limit, before: before) }
        for damaged in list.damaged { console.note("capctl: damaged manifest: \(damaged)\n") }
        if list.moreDamaged > 0 { console.note("capctl: \(list.moreDamaged.counted("more damaged manifest"))\n") }
        return list
    }
}
