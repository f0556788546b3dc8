internal import ArgumentParser
internal import CameraSettings
internal import Foundation
internal import RigConfiguration

/// `capctl settings apply`.
struct SettingsApplyCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "apply", abstract: "Set what a file says, for all cameras and for single ones, at one instant.",
        discussion: """
            The file is YAML or JSON: settings under `all` for every camera, and under `cameras` for single ones by NODE/DEVICE. An entry of a \
            camera replaces the one of the same name under `all`. Without `all`, only the named cameras are set. `-` reads standard input. \
            The rest is as with `capctl settings set`.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl settings apply night.yaml", needs: "a file")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var transaction: TransactionOptions

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
    var file: String

    func perform(_ console: Console) async throws -> CommandStatus {
        let settings = try SettingsFile(parsing: try text(), file: file)
        let request = transaction.request(of: settings.selection, settings.all, cameras: settings.cameras)
        return try await rig.carryOut(request, console, output)
    }

    /// The bytes of the file, one more than may be at most.
    private func text() throws -> String {
        let limit = YAMLDocument.maximumByteCount + 1
        let handle: FileHandle
        if file == "-" {
            handle = .standardInput
        } else {
            do {
                handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
            } catch {
                throw CommandFailure(.other, "\(file) cannot be read: \(error.localizedDescription)")
            }
        }
        return String(decoding: try handle.read(upToCount: limit) ?? Data(), as: UTF8.self)
    }
}
