import CaptureModel

extension AgentConfiguration {
    /// The configuration as a file that parses back to the same value, every default spelled out.
    /// - Throws: What the YAML library says when memory runs out.
    public func yaml() throws -> String {
        try MappingBuilder.text { file in
            file.add("node", plain: node)
            file.add("coordinator", plain: coordinator)
            file.add("spool") { spool.write(&$0) }
            file.add("ring") { mapping in
                mapping.add("depth", plain: ring.depth.configurationText)
                mapping.add("memory", plain: ring.memory)
            }
            file.add("frames") { frames.write(&$0) }
            file.add("recovery") { mapping in
                mapping.add("failures", plain: recovery.failures)
                mapping.add("goodPeriod", plain: recovery.goodPeriod.configurationText)
            }
            file.add("pressure") { pressure.write(&$0) }
            file.add("devices", list: devices.map(\.written))
            if !microphones.isEmpty { file.add("microphones", list: microphones.map(\.written)) }
        }
    }
}

extension AgentConfiguration.Spool {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("folder", text: folder)
        mapping.add("limit", plain: limit)
        mapping.add("reserve", plain: reserve)
    }
}

extension AgentConfiguration.Frames {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("enabled", plain: enabled)
        mapping.add("listen") { mapping in
            mapping.add("host", text: listen.host)
            mapping.add("port", plain: listen.port)
        }
        mapping.add("advertise", text: advertise)
        mapping.add("quality", plain: quality)
        mapping.add("preview") { mapping in
            mapping.add("width", plain: preview.width)
            mapping.add("height", plain: preview.height)
            mapping.add("gravity", plain: preview.gravity.rawValue)
        }
    }
}

extension DeviceConfiguration {
    var written: WrittenValue {
        .mapping { device in
            device.add("name", plain: name)
            device.add("type", text: type.rawValue)
            device.add("position", text: position.rawValue)
            device.add("labels", texts: labels)
            device.add("orientation", plain: orientation.rawValue)
            device.add("mirrored", plain: mirrored)
            device.add("purpose", text: purpose)
            device.add("enabled", plain: enabled)
            device.add("source") { source.write(&$0) }
            device.add("format") { format.write(&$0) }
            device.add("preset", plain: preset.rawValue)
            device.add("standby", plain: standby.rawValue)
            device.add("maxPhotoDimensions", plainIfPresent: maxPhotoDimensions?.description)
            device.add("quality", plain: quality)
            device.add("live", plain: live)
            device.add("sceneChange", plain: sceneChange != nil)
            device.add(
                "sceneChangeThreshold", plain: sceneChange?.threshold ?? SceneChangeSettings.defaultThreshold)
            raw.write(&device)
            device.add("microphone", plainIfPresent: microphone)
            device.add("audio", plain: audio.rawValue)
            device.add("latencyOffset", plain: stamps.latencyOffset.configurationText)
            device.add("readout", plain: stamps.readout.configurationText)
            device.add("uncertainty", plainIfPresent: stamps.uncertainty?.configurationText)
        }
    }
}

extension FormatWish {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("pixelFormat", plainIfPresent: pixelFormat?.rawValue)
        mapping.add("width", plainIfPresent: width)
        mapping.add("height", plainIfPresent: height)
        mapping.add("framesPerSecond", plainIfPresent: framesPerSecond)
    }
}
