internal import ArgumentParser
internal import DaemonSupport
internal import Foundation
internal import PosixSupport
internal import RigClient

/// `capctl keys export`.
struct KeysExportCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "export", abstract: "Write the coordinator's key and the registry of keys into an encrypted file.",
        discussion: """
            `capcoordd restore FILE` makes a coordinator of it that every node and person of the rig knows. Keep file and passphrase apart, \
            and export again after the key was replaced.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl keys export coordinator.key", needs: "a passphrase")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var secret: PassphraseOptions

    @Argument(help: "The file; it must not exist.")
    var file: String

    func perform(_ console: Console) async throws -> CommandStatus {
        let passphrase = try secret.passphrase(isNew: true)
        let document = try await rig.withClient { try await $0.exportKey(passphrase: passphrase) }
        do {
            let path = URL(filePath: file).standardizedFileURL
            let folder = try Folder.make(path.deletingLastPathComponent().path(percentEncoded: false))
            let created = try folder.open(path.lastPathComponent, for: .creatingPrivate)
            try created.write(document)
            try created.sync()
            try folder.sync()
        } catch {
            throw CommandFailure(.failed, "\(file) cannot be written: \(error)")
        }
        console.note("capctl: the coordinator's key is in \(file); `capcoordd restore \(file)` restores it\n")
        return .complete
    }
}
