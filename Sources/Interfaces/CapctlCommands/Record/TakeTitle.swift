internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// The title that `capctl record stop` gives to the take.
struct TakeTitleOptions: ParsableArguments {
    @Option(help: "The title of the take, one line; an empty one removes it.")
    var title: String?

    @Flag(help: "Do not ask for a title.")
    var noTitle = false

    func validate() throws {
        guard title == nil || !noTitle else { throw ValidationError("Give either --title or --no-title.") }
        if let problem = title.flatMap(Self.problem) { throw ValidationError(problem) }
    }

    /// The title to set on a take that has ended; nil if its title stays as it is.
    ///
    /// A person at the terminal is asked if the command line says nothing, the take is known to have no title, and a movie of it is stored.
    func choice(for take: LocatedShot, _ console: Console) -> String? {
        if let title { return title }
        let hasMovie = take.shot.captures.contains { $0.files.contains { $0.kind.isMovie && $0.isStored } }
        guard !noTitle, take.version != nil, take.annotation.title.isEmpty, hasMovie else { return nil }
        while let line = console.ask("Title of take \(take.shot.id) (Enter: none): ") {
            guard !line.isEmpty else { return nil }
            guard let problem = Self.problem(line) else { return line }
            console.note("\(problem)\n")
        }
        return nil
    }

    private static func problem(_ title: String) -> String? { ShotAnnotation(title: title).problem }
}
