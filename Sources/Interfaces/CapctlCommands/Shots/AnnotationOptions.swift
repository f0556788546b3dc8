internal import ArgumentParser
internal import CaptureModel

/// What is to be written about a shot or take.
struct AnnotationOptions: ParsableArguments {
    @Option(help: "The title, one line.")
    var title: String?

    @Option(help: "The note.")
    var note: String?

    var edit: ShotAnnotationEdit { ShotAnnotationEdit(title: title, note: note) }

    func validate() throws {
        guard title != nil || note != nil else { throw ValidationError("Give --title, --note or both.") }
        let annotation = ShotAnnotation(title: title ?? "", note: note ?? "")
        if let problem = annotation.problem { throw ValidationError(problem) }
    }
}
