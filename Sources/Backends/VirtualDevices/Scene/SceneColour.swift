/// The tint of a camera's scene, so that a person tells cameras apart at a glance.
struct SceneColour: Hashable {
    let cb: UInt8
    let cr: UInt8

    /// Twelve hues around the chroma circle, in an order in which neighbours differ.
    private static let hues: [(Int, Int)] = [
        (40, 0), (-20, 35), (-35, -20), (20, 35), (20, -35), (0, 40),
        (-40, 0), (35, 20), (-20, -35), (35, -20), (-35, 20), (0, -40),
    ]

    /// The tint of the scene of camera `number`.
    init(camera number: UInt16) {
        let (cb, cr) = Self.hues[Int(number) % Self.hues.count]
        self.cb = UInt8(clamping: 128 + cb)
        self.cr = UInt8(clamping: 128 + cr)
    }

    private init(cb: UInt8, cr: UInt8) {
        self.cb = cb
        self.cr = cr
    }

    /// The opposite hue, much stronger: that of the moving block.
    var opposite: SceneColour {
        SceneColour(cb: UInt8(clamping: 384 - 2 * Int(cb)), cr: UInt8(clamping: 384 - 2 * Int(cr)))
    }
}
