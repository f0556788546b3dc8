import ArgumentParser

/// The flows of AVFoundation's camera applications with this project's API, on one machine, without an agent or a
/// coordinator. Each subcommand is one flow and one file; docs/avcam.md walks through them.
@main
struct AVCam: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "avcam",
        abstract: "The flows of AVFoundation's camera applications, a command each.",
        subcommands: [Photos.self, LivePhotos.self, SessionErrors.self, RawPhotos.self, Movies.self],
        defaultSubcommand: Photos.self)
}
