internal import CaptureModel
internal import PosixSupport

/// A light-emitting diode of this machine, by its folder in `/sys/class/leds`. Its files are used on a separate thread.
actor Diode {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let brightness: OpenFile
    /// How bright it can be, in its own units.
    private let most: Int

    /// - Throws: ``CommandFailure`` if it is not a diode that this process can switch; `PosixError` if no thread can be created.
    init(folder path: String) throws {
        func text(_ folder: Folder, _ name: String) -> String? {
            let bytes = try? folder.open(name, for: .reading).readStream(limit: 1 << 16)
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        guard let folder = try? Folder(opening: path),
            let most = text(folder, "max_brightness").flatMap({ Int($0.prefix { $0 != "\n" }) }), most > 0
        else {
            throw CommandFailure(
                .other, "\(path) is not a diode; `ls -d /sys/class/leds/*` lists those of this machine")
        }
        if let triggers = text(folder, "trigger"), !triggers.contains("[none]") {
            throw CommandFailure(
                .other, "the kernel switches \(path) by itself; `echo none > \(path)/trigger` as root ends that")
        }
        do throws(PosixError) {
            brightness = try folder.open("brightness", for: .updating)
        } catch {
            throw CommandFailure(.other, "\(path) cannot be switched: \(error); run this as root")
        }
        self.most = most
        executor = try ThreadExecutor(name: "diode")
    }

    /// Switches it.
    /// - Returns: Instants before and after it was switched.
    /// - Throws: ``CommandFailure`` if it cannot be switched.
    func set(_ isOn: Bool, _ clock: any TimeSource) throws -> (before: LocalTime, after: LocalTime) {
        let bytes = Array("\(isOn ? most : 0)\n".utf8)
        let before = clock.now()
        do throws(PosixError) {
            try brightness.write(bytes.span, at: 0)
        } catch {
            throw CommandFailure(.other, "the diode cannot be switched: \(error)")
        }
        return (before, clock.now())
    }
}
