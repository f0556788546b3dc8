internal import ArgumentParser
internal import CaptureModel

/// The cameras of a command: named as arguments, or selected by options.
struct CameraOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Cameras, as node/device.", valueName: "node/device"), completion: .devices,
        transform: { try DeviceID($0) })
    var named: [DeviceID] = []

    @OptionGroup(title: "Which cameras") var options: SelectionOptions

    /// Whether nothing says which cameras are meant.
    var isEmpty: Bool { named.isEmpty && options.isEmpty }

    /// The selection in the protocol's grammar. A camera that is an argument is one that `--device` names.
    var selection: Selection {
        var selection = options.selection
        selection.devices += named
        return selection
    }

    /// Refuses a command that does not say which cameras it means.
    /// - Throws: `ValidationError`.
    func requireSome() throws {
        guard isEmpty else { return }
        throw ValidationError(
            "Select cameras: node/device, --all, or any of --type, --position, --first, --node, --device, --label.")
    }
}
