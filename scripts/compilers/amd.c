// Has Mesa's driver for AMD (RADV) compile SPIR-V to machine code, for a chip that need not be there:
//
//   cc amd.c -o amd -lvulkan
//   RADV_FORCE_FAMILY=gfx1100 VK_DRIVER_FILES=/usr/share/vulkan/icd.d/radeon_icd.x86_64.json ./amd LIST
//
// LIST has a line for each kernel: FILE, a tab, ENTRY. Answers a line for each, fields parted by tabs: "ok" or Vulkan's error, then
// NAME=VALUE for what the driver knows about the code. Before them comes a line about the device: its name, the driver's, and "yes" if
// the chip adds floats atomically, parted by tabs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static void must(VkResult result, const char *what) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, result);
        exit(1);
    }
}

static VkPhysicalDevice physical;
static VkDevice device;
static PFN_vkGetPipelineExecutableStatisticsKHR get_statistics;
static int adds_floats;

// A device with every feature that the driver has: all that is asked is what it makes of a kernel.
static void open_device(void) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo of_instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    must(vkCreateInstance(&of_instance, NULL, &instance), "no instance");
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0) {
        fprintf(stderr, "no device\n");
        exit(1);
    }
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, .pNext = &floats};
    VkPhysicalDeviceVulkan13Features in_13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &executables};
    VkPhysicalDeviceVulkan12Features in_12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &in_13};
    VkPhysicalDeviceVulkan11Features in_11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &in_12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &in_11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    adds_floats = floats.shaderBufferFloat32AtomicAdd;
    const char *extensions[] = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME};
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo of_device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
        .enabledExtensionCount = 2, .ppEnabledExtensionNames = extensions};
    must(vkCreateDevice(physical, &of_device, NULL, &device), "no device with statistics and atomics on floats");
    get_statistics = (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR");
}

static void print_device(void) {
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    printf("%s\t%s\t%s\n", properties.properties.deviceName, driver.driverInfo, adds_floats ? "yes" : "no");
}

// The words of a file; the caller frees them.
static uint32_t *read_words(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file) / 4;
    rewind(file);
    uint32_t *words = malloc(*count * 4);
    *count = fread(words, 4, *count, file);
    fclose(file);
    return words;
}

enum { OP_VARIABLE = 59, OP_DECORATE = 71, DECORATION_BINDING = 33, CLASS_UNIFORM = 2, MOST_BINDINGS = 32 };

// A layout with the buffers that a module declares, all in its one group.
static VkDescriptorSetLayout layout_of(const uint32_t *words, size_t count) {
    uint32_t *slot_of = calloc(words[3], sizeof *slot_of);
    VkDescriptorSetLayoutBinding bindings[MOST_BINDINGS];
    uint32_t found = 0;
    for (size_t at = 5; at < count && found < MOST_BINDINGS; at += words[at] >> 16) {
        uint32_t operation = words[at] & 0xffff;
        if (operation == OP_DECORATE && words[at + 2] == DECORATION_BINDING) {
            slot_of[words[at + 1]] = words[at + 3] + 1;
        } else if (operation == OP_VARIABLE && slot_of[words[at + 2]] != 0) {
            int is_uniform = words[at + 3] == CLASS_UNIFORM;
            bindings[found++] = (VkDescriptorSetLayoutBinding){
                .binding = slot_of[words[at + 2]] - 1,
                .descriptorType = is_uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                .descriptorCount = 1,
                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
        }
    }
    free(slot_of);
    VkDescriptorSetLayoutCreateInfo of_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = found, .pBindings = bindings};
    VkDescriptorSetLayout layout;
    must(vkCreateDescriptorSetLayout(device, &of_layout, NULL, &layout), "no layout");
    return layout;
}

static void print_statistics(VkPipeline pipeline) {
    VkPipelineExecutableInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
    uint32_t count = 0;
    get_statistics(device, &which, &count, NULL);
    VkPipelineExecutableStatisticKHR *statistics = calloc(count, sizeof *statistics);
    for (uint32_t i = 0; i < count; i++) {
        statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    }
    get_statistics(device, &which, &count, statistics);
    for (uint32_t i = 0; i < count; i++) {
        printf("\t%s=%llu", statistics[i].name, (unsigned long long)statistics[i].value.u64);
    }
    free(statistics);
}

static void compile(const char *path, const char *entry) {
    size_t count;
    uint32_t *words = read_words(path, &count);
    VkDescriptorSetLayout layout = layout_of(words, count);
    VkPipelineLayoutCreateInfo of_layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &layout};
    VkPipelineLayout pipeline_layout;
    must(vkCreatePipelineLayout(device, &of_layout, NULL, &pipeline_layout), "no pipeline layout");
    VkShaderModuleCreateInfo of_module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * count, .pCode = words};
    VkShaderModule module;
    must(vkCreateShaderModule(device, &of_module, NULL, &module), "no module");
    VkComputePipelineCreateInfo of_pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
        .layout = pipeline_layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = entry}};
    VkPipeline pipeline;
    VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &of_pipeline, NULL, &pipeline);
    if (result == VK_SUCCESS) {
        printf("ok");
        print_statistics(pipeline);
        vkDestroyPipeline(device, pipeline, NULL);
    } else {
        printf("VkResult %d", result);
    }
    printf("\n");
    fflush(stdout);
    vkDestroyShaderModule(device, module, NULL);
    vkDestroyPipelineLayout(device, pipeline_layout, NULL);
    vkDestroyDescriptorSetLayout(device, layout, NULL);
    free(words);
}

int main(int count, char **arguments) {
    FILE *list = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (list == NULL) {
        fprintf(stderr, "usage: amd LIST\n");
        return 2;
    }
    open_device();
    print_device();
    char line[4096];
    while (fgets(line, sizeof line, list) != NULL) {
        char *path = strtok(line, "\t\n"), *entry = strtok(NULL, "\t\n");
        compile(path, entry);
    }
    // A driver without its GPU may not survive taking the device down.
    fflush(stdout);
    _Exit(0);
}
