internal import ArgumentParser

/// `capctl timecode`.
struct TimeCodeCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "timecode", abstract: "Read the time code in the pixels of a virtual camera's pictures.",
        discussion: "Takes JPEG and binary PGM (P5) files, at full, half, quarter or eighth size.")

    @OptionGroup var output: FormatOptions
    @Argument(help: "Picture files.")
    var files: [String]

    func perform(_ console: Console) async throws -> CommandStatus {
        var readings: [TimeCodeReading] = []
        for file in files {
            do {
                readings.append(try TimeCodeReading(file: file))
            } catch {
                console.note("capctl: \(file): \(error)\n")
            }
        }
        console.write(try TimeCodeReport(readings: readings).rendered(as: output.format))
        return readings.count == files.count ? .complete : readings.isEmpty ? .failed : .partial
    }
}
