import ArgumentParser
import CoordinatorChannels
import DaemonSupport
import Foundation
import KeyFiles
import RigConfiguration
import SystemClock

/// `capcoordd restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore the coordinator's key and the registry of keys from an exported file.",
        discussion: """
            For a coordinator whose disk was lost, before its first start. Every node and person of the rig then knows it. Run it as the user \
            of the service. A key or a registry that exists is never replaced.
            """)

    @Argument(help: "The file that `capctl keys export` wrote.")
    var file: String
    @OptionGroup var place: PlaceOptions
    @OptionGroup var secret: PassphraseOptions

    func run() async throws {
        try await Daemon.configuration {
            let configuration = try place.configuration()
            let data = try Data(contentsOf: URL(filePath: file))
            guard data.count <= KeyExport.longest else { throw KeyExportError.damaged("it is too long") }
            let export = try KeyExport(opening: Array(data), with: try secret.passphrase(isNew: false))
            let folder = configuration.stateFolder
            try await KeyFileError.mended(by: PlaceOptions.otherState) {
                try await CoordinatorKeys.restore(
                    export, folder: folder, environment: ProcessInfo.processInfo.environment, clock: SystemTimeSource())
            }
            print("the key of rig '\(export.rig)', exported \(export.created), is restored in \(folder)")
        }
    }
}

/// Where a coordinator keeps its library and its state.
struct PlaceOptions: ParsableArguments {
    @Option(help: "Configuration file (YAML); options given here override it.")
    var config: String?
    @Option(help: "Folder of the library.")
    var library: String?
    @Option(help: "Folder of the coordinator's state (default: .caprig in the library).")
    var state: String?

    /// What a person does about a file system that cannot hold the state.
    static let otherState = "set state.folder (--state)"

    /// The configuration file's, or the default one, with the options in force.
    func configuration() throws -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        if let config {
            let file = try ConfigurationFile(config)
            configuration = try .parse(text: file.text, file: file.name, folder: file.folder)
        }
        if let library { configuration.library.folder = library }
        if let state { configuration.state.folder = state }
        // Clients get the path of the library, and they may run in another folder.
        configuration.library.folder = Self.absolute(configuration.library.folder)
        configuration.library.copy = configuration.library.copy.map(Self.absolute)
        configuration.state.folder = configuration.state.folder.map(Self.absolute)
        return configuration
    }

    private static func absolute(_ folder: String) -> String {
        URL(filePath: folder).standardizedFileURL.path(percentEncoded: false)
    }
}
