internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// The options of a list of shots or takes.
struct ShotListOptions: ParsableArguments {
    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var query: ShotQueryOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var following: WatchOptions

    func validate() throws {
        try following.validate(source)
    }

    /// Shows the list, with `--watch` again and again.
    /// - Parameters:
    ///   - takes: Whether it is of takes and not of shots.
    ///   - report: Returns the report on a list, and whether no option has restricted it.
    func show(
        takes: Bool, on console: Console, _ report: @escaping @Sendable (ShotList, Bool) -> any Report
    ) async throws {
        let isWhole = query.query.takesAll && page.before == nil
        var query = query.query
        query.isOfTakes = takes
        guard following.watch else {
            let list = try await source.withSource(console) { [query] in try await page.list(query, from: $0, console) }
            return try output.show(report(list, isWhole), on: console)
        }
        try await source.rig.withClient { [page, query] client in
            try await ReportWatch(output: output, console: console).run(client) {
                report(try await page.list(query, from: CoordinatorShots(client: client), console), isWhole)
            }
        }
    }
}
