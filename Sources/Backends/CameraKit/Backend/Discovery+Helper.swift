import ChildPrograms
import PosixSupport

extension Discovery {
    /// The longest time for which a helper program may be silent while it looks for devices.
    private static let silence = Duration.seconds(20)

    /// The devices that a helper program lists, which may be missing: most nodes have none of its devices.
    ///
    /// `HELPER --list` writes a line for each.
    /// - Parameters:
    ///   - listing: Reads a line; nil if it is none of the program's.
    ///   - absence: The sentence for people if it lists none.
    /// - Returns: nil without the program.
    /// - Throws: ``CameraError`` with code `failed` if this process can start no thread.
    package init?(
        listedBy helper: String, absence: String, _ listing: (Substring) -> (any DeviceListing)?
    ) async throws(CameraError) {
        guard (try? ProgramPath.find(helper)) != nil else { return nil }
        do throws(PosixError) {
            let lines = try await BlockingCall.run(thread: "list-devices") {
                (try? ChildProgram.lines(of: [helper, "--list"], within: Self.silence)) ?? []
            }
            self.init(lines.compactMap(listing), absence: absence)
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list cameras", reason: error.description)
        }
    }
}
